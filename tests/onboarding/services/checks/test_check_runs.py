"""Runs of checks: their rows, and the risk that follows."""

from onboarding.choices import (
    CheckCode,
    CheckResult,
    Risk,
    Role,
    RunCause,
)
from onboarding.event_types import EventType
from onboarding.models import Application, CheckRun, Event
from onboarding.queries import fixed_rows
from tests.factories import NOON
from tests.onboarding.services.checks.submitted import screen
from tests.onboarding.services.leads.test_submissions import make_complete_owner


def test_a_run_is_written_down_check_by_check(submitted):
    application = submitted("0004")
    owner = make_complete_owner(application.lead)

    screen()

    run = CheckRun.objects.get()
    assert (run.number, run.cause, run.at) == (1, RunCause.SUBMITTED, NOON)
    assert set(run.checks.values_list("source", flat=True)) == {"BUILT_IN", "SANDBOX"}
    ages = run.checks.filter(code=CheckCode.AGES).order_by("pk")
    assert [check.ubo_id for check in ages] == [None, owner.external_id]
    serial = run.checks.filter(code=CheckCode.SSN_SERIAL).earliest("pk")
    assert (serial.result, serial.note, serial.at) == (CheckResult.WARN, "serial 0004", NOON)
    event = Event.objects.get(type=EventType.CHECKED)
    assert (event.role, event.sequence) == (Role.CHECKS, None)
    assert event.details == {
        "run": 1,
        "cause": "SUBMITTED",
        "risk": "LOW",
        "pass": 11,
        "warn": 4,
        "fail": 0,
        **fixed_rows.fix(*run.checks.all()),
    }


def test_the_application_shows_its_risk_and_the_worst_result(submitted):
    submitted(naics_code="522390")

    screen()

    application = Application.objects.get()
    assert (application.risk, application.risk_points) == (Risk.MEDIUM, 30)
    assert [reason["factor"] for reason in application.risk_reasons] == ["NAICS"]
    assert application.worst_result == CheckResult.WARN

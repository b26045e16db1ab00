"""Reads of quality checks: open ones, the case as it was, and how many were overturned."""

import pytest

from onboarding.choices import CheckCode, CheckResult
from onboarding.event_types import EventType
from onboarding.models import QualityCheck
from onboarding.queries import quality_checks
from tests.factories import (
    NOON,
    later,
    make_application,
    make_check,
    make_check_run,
    make_event,
    make_lead,
    make_partner,
    make_user,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def make():
    def make(*, by, verdict="", judged_at=NOON, partner=None, **values):
        case = make_application(make_lead(partner=partner or make_partner()))
        event = make_event(case, EventType.APPROVED)
        judged = {"judged_by": make_user(), "judged_at": judged_at} if verdict else {}
        return QualityCheck.objects.create(
            application=case,
            event=event,
            decided_by=by,
            decided_at=NOON,
            verdict=verdict,
            **judged,
            **values,
        )

    return make


def test_those_of_others_wait_for_a_person(make, ada, bob):
    mine, theirs = make(by=ada), make(by=bob)
    make(by=bob, verdict="AGREE")

    assert set(quality_checks.open_checks()) == {mine, theirs}
    assert list(quality_checks.open_checks(by=ada)) == [theirs]


def test_the_results_are_those_of_the_decision(make, ada):
    row = make(by=ada)
    run = make_check_run(row.application)
    for result in (CheckResult.WARN, CheckResult.PASS):
        before = make_check(run, code=CheckCode.AGES, result=result)
    make_check(run, code=CheckCode.AGES, result=CheckResult.FAIL, at=later(minutes=1))
    make_check(make_check_run(row.application, at=later(days=1)), at=later(days=1))

    assert quality_checks.list_checks_of(row) == [before]


def test_a_case_without_a_run_has_no_results(make, ada):
    assert quality_checks.list_checks_of(make(by=ada)) == []


def test_changes_since_the_decision_are_listed(make, ada):
    row = make(by=ada)
    changed = make_event(row.application, EventType.CHANGED)
    make_event(row.application, EventType.NOTED)

    assert quality_checks.list_changes_since(row) == [changed]


def test_rates_are_of_judged_approvals_by_person_and_by_partner(make, ada, bob):
    harbor = make_partner(name="Harbor")
    for verdict in ("AGREE", "AGREE", "DENY", "ASK"):
        make(by=ada, verdict=verdict, partner=harbor)
    make(by=bob, verdict="AGREE", partner=make_partner(name="Tide"))
    make(by=bob, verdict="DENY", judged_at=later(days=-1))
    make(by=bob)

    people = quality_checks.list_rates_of_people(since=NOON)
    partners = quality_checks.list_rates_of_partners(since=NOON)

    def figures(rates):
        return [
            (one.name, one.judged, one.would_deny, one.would_ask, one.overturned_percent)
            for one in rates
        ]

    assert figures(people) == [
        (ada.get_full_name(), 4, 1, 1, 50),
        (bob.get_full_name(), 1, 0, 0, 0),
    ]
    assert figures(partners) == [("Harbor", 4, 1, 1, 50), ("Tide", 1, 0, 0, 0)]


def test_overturned_approvals_are_listed_the_newest_first(make, ada):
    first = make(by=ada, verdict="DENY")
    second = make(by=ada, verdict="ASK", judged_at=later(hours=1))
    make(by=ada, verdict="AGREE")
    make(by=ada, verdict="DENY", judged_at=later(days=-1))

    assert list(quality_checks.list_overturned(since=NOON)) == [second, first]


def test_the_draw_names_its_key_and_percent():
    assert quality_checks.describe_draw(0) == {}
    assert quality_checks.describe_draw(5) == {"sampled_percent": 5, "draw_key_id": "test1"}

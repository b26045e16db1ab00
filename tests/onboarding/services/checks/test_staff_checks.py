"""Checks by staff: further runs, and ticks of manual items."""

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import (
    CheckCode,
    CheckResult,
    CheckSource,
    Risk,
    Role,
    RunCause,
)
from onboarding.event_types import EventType
from onboarding.models import Application, Check, CheckRun, Event, RiskRule
from onboarding.queries import audit, fixed_rows
from onboarding.queries.checks import list_current_checks, list_open_items
from onboarding.screening.manual import ITEMS
from onboarding.services.checks import rechecks, staff_checks
from onboarding.services.reviews.cases import Incomplete, NotClaimed
from tests.factories import NOON, later, make_check, make_document
from tests.onboarding.cases import make_reviewer
from tests.onboarding.sanctions_files import load
from tests.onboarding.services.checks.submitted import give, make_submitted


def test_staff_run_the_checks_again_and_nothing_moves(case, ada):
    run = staff_checks.rerun(case, by=ada, at=later(hours=1))

    assert (run.number, run.cause) == (2, RunCause.STAFF)
    event = Event.objects.filter(type=EventType.CHECKED).latest("number")
    assert (event.role, event.who) == (Role.REVIEWER, str(ada.external_id))
    assert Application.objects.get().status == Status.IN_REVIEW
    assert list(audit.find_faults()) == []


def test_the_same_data_give_the_same_rows(case, ada):
    staff_checks.rerun(case, by=ada, at=later(hours=1))

    facts = ("code", "source", "result", "ubo_id", "note", "details")
    first, second = (
        list(run.checks.order_by("pk").values_list(*facts)) for run in case.check_runs.all()
    )
    assert first == second


def test_changed_rules_count_from_the_next_run(case, ada):
    RiskRule.objects.create(factor="BUSINESS_TYPE", value="LLC", points=50, reason="So.")

    staff_checks.rerun(case, by=ada, at=later(hours=1))

    assert Application.objects.get().risk == Risk.HIGH


@pytest.mark.parametrize("status", [status for status in Status if status not in rechecks.OPEN])
def test_what_is_not_open_is_neither_checked_again_nor_ticked(case, ada, status):
    Application.objects.update(status=status)

    with pytest.raises(staff_checks.CaseNotOpen):
        staff_checks.rerun(case, by=ada, at=NOON)
    with pytest.raises(staff_checks.CaseNotOpen):
        tick(case, ada)

    assert CheckRun.objects.count() == 1


def test_whoever_has_not_got_the_case_neither_checks_again_nor_ticks(case):
    bob = make_reviewer()

    with pytest.raises(NotClaimed):
        staff_checks.rerun(case, by=bob, at=NOON)
    with pytest.raises(NotClaimed):
        tick(case, bob)

    assert CheckRun.objects.count() == 1


def tick(case, user, code=CheckCode.ADDRESS_CONFIRMED, result=CheckResult.PASS, *, at=NOON):
    return staff_checks.tick(case, code, result, note="It was seen.", by=user, at=at)


def test_a_tick_is_a_row_more(case, ada):
    check = tick(case, ada)

    assert (check.run.number, check.source, check.by) == (1, CheckSource.MANUAL, ada)
    assert CheckCode.ADDRESS_CONFIRMED not in list_open_items(case)
    assert Check.objects.filter(code=CheckCode.ADDRESS_CONFIRMED).count() == 2
    event = Event.objects.latest("number")
    assert (event.type, event.who) == (EventType.CHECK_TICKED, str(ada.external_id))
    named = {"check_id": str(check.external_id), "code": "ADDRESS_CONFIRMED", "result": "PASS"}
    assert event.details == named | fixed_rows.fix(check)
    assert list(audit.find_faults()) == []


@pytest.mark.parametrize("result", CheckResult)
@pytest.mark.parametrize("note", [" ", "ok", "- - - -.", "four"])
def test_a_tick_needs_a_note(case, ada, result, note):
    with pytest.raises(Incomplete, match="Enter what you found"):
        staff_checks.tick(case, CheckCode.ADDRESS_CONFIRMED, result, note=note, by=ada, at=NOON)

    assert CheckCode.ADDRESS_CONFIRMED in list_open_items(case)


def test_a_document_stands_for_the_note_of_an_item_that_passed(case, ada):
    document, other = make_document(case.lead), make_document()
    code, by = CheckCode.ADDRESS_CONFIRMED, {"by": ada, "at": NOON}

    check = staff_checks.tick(case, code, CheckResult.PASS, note="", document=document, **by)

    assert check.details == {"document_id": str(document.external_id)}
    for result, chosen in ((CheckResult.FAIL, document), (CheckResult.PASS, other)):
        with pytest.raises(Incomplete):
            staff_checks.tick(case, code, result, note="", document=chosen, **by)
    staff_checks.rerun(case, by=ada, at=NOON)
    kept = next(one for one in list_current_checks(case) if one.code == code)
    assert kept.details == check.details


def test_several_ticks_are_saved_or_none(case, ada):
    good = staff_checks.Tick(CheckCode.ADDRESS_CONFIRMED, CheckResult.PASS, "It was seen.")
    bad = staff_checks.Tick(CheckCode.IDENTITY_CONFIRMED, CheckResult.PASS)

    for ticks in ([], [good, bad]):
        with pytest.raises(Incomplete):
            staff_checks.tick_all(case, ticks, by=ada, at=NOON)
    assert CheckCode.ADDRESS_CONFIRMED in list_open_items(case)

    staff_checks.tick_all(case, [good], by=ada, at=NOON)

    assert CheckCode.ADDRESS_CONFIRMED not in list_open_items(case)


def test_the_worst_result_follows_the_ticks(case, ada, tmp_path):
    load(tmp_path)
    staff_checks.rerun(case, by=ada, at=later(minutes=1))
    results = []
    for code, result in zip(ITEMS, ["PASS", "FAIL", "PASS", "PASS"], strict=True):
        tick(case, ada, code, CheckResult(result), at=later(minutes=2))
        results.append(Application.objects.get().worst_result)
    tick(case, ada, ITEMS[1], at=later(minutes=3))

    assert results == ["WARN", "FAIL", "FAIL", "FAIL"]
    assert Application.objects.get().worst_result == CheckResult.PASS


def test_ticks_hold_on_in_further_runs(case, ada):
    tick(case, ada)
    bob = make_reviewer()
    give(case, bob)

    staff_checks.rerun(case, by=bob, at=later(minutes=10))
    staff_checks.rerun(case, by=bob, at=later(minutes=20))

    assert CheckCode.ADDRESS_CONFIRMED not in list_open_items(case)
    kept = Check.objects.get(run__number=3, code=CheckCode.ADDRESS_CONFIRMED)
    assert (kept.by, kept.note) == (ada, "It was seen.")


@pytest.mark.parametrize("code", [CheckCode.SANCTIONS, CheckCode.SSN_SERIAL])
def test_staff_tick_no_rule_and_no_list(case, ada, code):
    with pytest.raises(staff_checks.NotForStaff):
        tick(case, ada, code)


def test_of_two_further_runs_at_once_each_has_its_number(in_threads, settings):
    application = make_submitted()
    Application.objects.update(status=Status.IN_REVIEW)
    ada = make_reviewer()
    give(application, ada)

    def rerun(minute):
        return staff_checks.rerun(application, by=ada, at=later(minutes=minute)).number

    assert sorted(in_threads(rerun, [1, 2])) == [1, 2]


def test_verifications_that_all_passed_are_evidence_enough(case, ada):
    run = case.check_runs.first()
    for result in ("PASS", "FAIL"):
        values = {"source": CheckSource.PROVIDER, "result": result, "note": "idcheck, ref-1."}
        make_check(run, code=CheckCode.IDENTITY_VERIFIED, **values)
        make_check(run, code=CheckCode.ADDRESS_VERIFIED, **{**values, "result": "PASS"})
    common = {"note": "", "by": ada, "at": NOON}

    check = staff_checks.tick(case, CheckCode.ADDRESS_CONFIRMED, CheckResult.PASS, **common)

    assert check.note == "Verification provider: idcheck, ref-1."
    for code, result in [
        (CheckCode.IDENTITY_CONFIRMED, CheckResult.PASS),
        (CheckCode.ADDRESS_CONFIRMED, CheckResult.FAIL),
        (CheckCode.ACTIVITY_PLAUSIBLE, CheckResult.PASS),
    ]:
        with pytest.raises(Incomplete):
            staff_checks.tick(case, code, result, **common)

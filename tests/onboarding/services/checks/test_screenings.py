"""Screenings: where the checks take a submitted application."""

import threading

import pytest
from django.db import connection, transaction

from banking.models import Account
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import (
    CheckCode,
    CheckResult,
    CheckSource,
    DenialReason,
    IdentityStatus,
    Risk,
    Role,
    RunCause,
)
from onboarding.event_types import EventType
from onboarding.models import Application, Check, CheckRun, Event, Lead, RiskRule
from onboarding.queries import audit, fixed_rows
from onboarding.queries.checks import list_open_items
from onboarding.queries.leads import open_lead_file
from onboarding.screening.manual import ITEMS
from onboarding.services.checks import screenings
from onboarding.services.reviews import decisions
from onboarding.services.reviews.cases import Incomplete, NotClaimed
from tests.factories import NOON, later, make_document, make_event
from tests.onboarding.cases import make_reviewer
from tests.onboarding.sanctions_files import SDN, load
from tests.onboarding.services.leads.test_submissions import make_complete, make_complete_owner


@pytest.fixture
def submitted(db):
    def make(serial="6789", **values):
        return make_submitted(serial, **values)

    return make


def make_submitted(serial="6789", **values):
    application = make_complete(ssn=f"12345{serial}", **values)
    application.status = Status.SUBMITTED
    application.save()
    return application


def screen(at=NOON):
    return screenings.screen_submitted(clock=lambda: at, until=lambda: False)


def events():
    """Return what happened, save that checks ran."""
    return Event.objects.exclude(type=EventType.CHECKED).order_by("number")


@pytest.mark.parametrize(
    ("serial", "target", "types"),
    [
        ("0001", Status.DENIED, [EventType.DENIED]),
        ("0002", Status.DOCUMENTS_REQUIRED, [EventType.DOCUMENTS_REQUIRED]),
        ("0003", Status.ID_VERIFICATION, [EventType.IDENTITY_REQUESTED]),
        ("0004", Status.IN_REVIEW, [EventType.IN_REVIEW]),
        ("0007", Status.APPROVED_TEMPORARY,
         [EventType.IN_REVIEW, EventType.APPROVED_TEMPORARY, EventType.ACCOUNT_OPENED,
          EventType.INVITED]),
        ("6789", Status.APPROVED,
         [EventType.APPROVED, EventType.ACCOUNT_OPENED, EventType.INVITED]),
    ],
)  # fmt: skip
def test_the_serial_of_the_applicant_says_what_becomes_of_it(submitted, serial, target, types):
    submitted(serial)

    assert screen() == 1

    assert Application.objects.get().status == target
    assert [event.type for event in events()] == types
    assert list(audit.find_faults()) == []


def test_checks_move_it_and_only_a_temporary_approval_needs_a_reviewer(submitted):
    submitted("0007")
    screen()

    assert [(event.role, event.who) for event in events()] == [
        (Role.CHECKS, ""),
        (Role.REVIEWER, "sandbox"),
        (Role.REVIEWER, "sandbox"),
        (Role.REVIEWER, "sandbox"),
    ]


def test_the_gravest_finding_counts(submitted):
    application = submitted("0004")
    make_complete_owner(application.lead, ssn="223450001")

    screen()

    assert Application.objects.get().status == Status.DENIED


def test_whose_serial_asks_for_it_must_prove_identity(submitted):
    application = submitted("6789")
    owner = make_complete_owner(application.lead, ssn="223450003")
    make_complete_owner(application.lead, ownership_percent=0)

    screen()

    lead = Application.objects.get().lead
    statuses = lead.owners.order_by("pk").values_list("identity_status", flat=True)
    assert lead.identity_status == IdentityStatus.PENDING
    assert list(statuses) == [IdentityStatus.REQUESTED, IdentityStatus.PENDING]
    assert events().get().details == {"ubo_id": str(owner.external_id)}


def test_what_the_checklist_misses_is_asked_for(submitted):
    submitted("0002")

    screen()

    missing = ["ARTICLES_OF_ORGANIZATION", "IRS_EIN_LETTER"]
    assert events().get().details == {"missing_docs": missing}


def test_if_nothing_is_missing_a_document_is_asked_for_once_more(submitted):
    application = submitted("0002")
    for kind in ("ARTICLES_OF_ORGANIZATION", "SS4_DOCUMENT"):
        make_document(application.lead, llc_file_type=kind)

    screen(later(hours=1))

    assert events().get().details == {"missing_docs": ["ARTICLES_OF_ORGANIZATION"]}
    wanted = open_lead_file(Application.objects.select_related("lead").get()).requirements
    assert [one.code for one in wanted] == ["ARTICLES_OF_ORGANIZATION_REQUESTED"]


@pytest.mark.parametrize("status", [status for status in Status if status != Status.SUBMITTED])
def test_only_what_was_submitted_is_screened(submitted, status):
    submitted()
    Application.objects.update(status=status)

    assert screen() == 0


def test_without_a_provider_it_stays_submitted(submitted, settings, django_assert_num_queries):
    settings.CHECK_PROVIDERS = []
    submitted()

    with django_assert_num_queries(0):
        assert screen() == 0


def test_one_that_fails_stops_none_of_the_others(submitted, monkeypatch):
    broken, other = submitted(), submitted()
    approve = decisions.approve

    def fail_once(application, **options):
        if application.pk == broken.pk:
            raise RuntimeError
        approve(application, **options)

    monkeypatch.setattr(decisions, "approve", fail_once)

    assert screen() == 1

    broken.refresh_from_db()
    other.refresh_from_db()
    assert (broken.status, other.status) == (Status.SUBMITTED, Status.APPROVED)


def test_of_two_screenings_at_once_one_moves(in_threads):
    make_submitted()

    assert sorted(in_threads(screen, [NOON, NOON])) == [0, 1]
    assert Account.objects.of_customers().count() == 2
    assert events().count() == 3


def test_screening_ends_when_it_is_told_to(submitted):
    for _ in range(3):
        submitted()
    answers = iter([False, False, True])

    moved = screenings.screen_submitted(clock=lambda: NOON, until=lambda: next(answers))

    assert moved == 2
    assert screenings.is_waiting()


def test_an_application_that_somebody_has_locked_is_left_for_the_next_time(in_threads):
    if not connection.features.has_select_for_update_skip_locked:
        pytest.skip("this database has one writer at a time")
    application = make_submitted()
    is_locked, is_done = threading.Event(), threading.Event()

    def work(is_holder):
        if is_holder:
            with transaction.atomic():
                Lead.objects.select_for_update().get(pk=application.lead_id)
                is_locked.set()
                is_done.wait(30)
            return None
        is_locked.wait(30)
        try:
            return screen()
        finally:
            is_done.set()

    assert in_threads(work, [True, False]) == [None, 0]
    assert screen() == 1


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


@pytest.mark.parametrize("values", [{"naics_code": "713210"}, {"birth_date": "2015-01-01"}])
@pytest.mark.parametrize("policy", ["never", "clear", "despite-warnings"])
def test_who_is_under_age_or_in_a_refused_industry_is_denied(submitted, settings, policy, values):
    settings.AUTO_APPROVAL = policy
    submitted(**values)

    screen()

    application = Application.objects.get()
    assert (application.status, application.worst_result) == (Status.DENIED, CheckResult.FAIL)
    assert events().get().details["reason_codes"] == [DenialReason.NOT_ELIGIBLE]


def complete(application):
    """Let nothing be missing, and nobody be on the list."""
    for kind in ("ARTICLES_OF_ORGANIZATION", "SS4_DOCUMENT"):
        make_document(application.lead, llc_file_type=kind)


@pytest.mark.parametrize(
    ("policy", "target"),
    [
        ("never", Status.IN_REVIEW),
        ("clear", Status.APPROVED),
        ("despite-warnings", Status.APPROVED),
    ],
)
def test_what_is_clear_is_approved_where_that_is_on(submitted, settings, tmp_path, policy, target):
    settings.AUTO_APPROVAL = policy
    load(tmp_path)
    complete(submitted())

    screen()

    application = Application.objects.get()
    assert (application.status, application.worst_result) == (target, CheckResult.PASS)


@pytest.mark.parametrize("policy", ["never", "clear"])
def test_who_is_like_somebody_on_the_list_goes_to_staff(submitted, settings, tmp_path, policy):
    settings.AUTO_APPROVAL = policy
    load(tmp_path)
    complete(submitted(first_name="Ibrahim", last_name="Zarquonian"))

    screen()

    application = Application.objects.get()
    assert (application.status, application.risk) == (Status.IN_REVIEW, Risk.HIGH)


def test_in_production_staff_confirm_and_documents_come_first(submitted, in_production):
    submitted()
    complete(submitted("6780"))

    screen()

    assert [one.status for one in Application.objects.order_by("pk")] == [
        Status.DOCUMENTS_REQUIRED,
        Status.IN_REVIEW,
    ]
    assert list_open_items(Application.objects.latest("pk")) == ITEMS


def test_answers_are_checked_in_a_further_run(submitted):
    application = submitted("0003")
    screen()
    Application.objects.update(status=Status.SUBMITTED)
    application.lead.ssn = "123456789"
    application.lead.save(update_fields=["ssn"])

    screen(later(hours=1))

    first, second = application.check_runs.order_by("number")
    assert (second.number, second.cause) == (2, RunCause.ANSWERED)
    assert first.checks.count() == second.checks.count()
    assert Application.objects.get().status == Status.APPROVED


@pytest.fixture
def in_production(settings):
    settings.CHECK_PROVIDERS = ["BUILT_IN", "MANUAL"]
    settings.AUTO_APPROVAL = "never"


@pytest.fixture
def ada(db):
    return make_reviewer()


def give(case, user):
    """Let somebody have a case for a day, or until half an hour after their first step."""
    until = later(days=1)
    Application.objects.filter(pk=case.pk).update(claimed_by=user, claimed_until=until)


@pytest.fixture
def case(submitted, in_production, ada):
    """Return a case of Ada's that staff review, of data that did not change lately."""
    application = submitted()
    complete(application)
    screen()
    Lead.objects.update(updated_at=later(days=-1))
    give(application, ada)
    return Application.objects.select_related("lead").get()


def test_staff_run_the_checks_again_and_nothing_moves(case, ada):
    run = screenings.rerun(case, by=ada, at=later(hours=1))

    assert (run.number, run.cause) == (2, RunCause.STAFF)
    event = Event.objects.filter(type=EventType.CHECKED).latest("number")
    assert (event.role, event.who) == (Role.REVIEWER, str(ada.external_id))
    assert Application.objects.get().status == Status.IN_REVIEW
    assert list(audit.find_faults()) == []


def test_the_same_data_give_the_same_rows(case, ada):
    screenings.rerun(case, by=ada, at=later(hours=1))

    facts = ("code", "source", "result", "ubo_id", "note", "details")
    first, second = (
        list(run.checks.order_by("pk").values_list(*facts)) for run in case.check_runs.all()
    )
    assert first == second


def test_changed_rules_count_from_the_next_run(case, ada):
    RiskRule.objects.create(factor="BUSINESS_TYPE", value="LLC", points=50, reason="So.")

    screenings.rerun(case, by=ada, at=later(hours=1))

    assert Application.objects.get().risk == Risk.HIGH


@pytest.mark.parametrize("status", [status for status in Status if status not in screenings.OPEN])
def test_what_is_not_open_is_neither_checked_again_nor_ticked(case, ada, status):
    Application.objects.update(status=status)

    with pytest.raises(screenings.CaseNotOpen):
        screenings.rerun(case, by=ada, at=NOON)
    with pytest.raises(screenings.CaseNotOpen):
        tick(case, ada)

    assert CheckRun.objects.count() == 1


def test_whoever_has_not_got_the_case_neither_checks_again_nor_ticks(case):
    bob = make_reviewer()

    with pytest.raises(NotClaimed):
        screenings.rerun(case, by=bob, at=NOON)
    with pytest.raises(NotClaimed):
        tick(case, bob)

    assert CheckRun.objects.count() == 1


def tick(case, user, code=CheckCode.ADDRESS_CONFIRMED, result=CheckResult.PASS, *, at=NOON):
    return screenings.tick(case, code, result, note="Seen.", by=user, at=at)


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
def test_a_tick_needs_a_note(case, ada, result):
    with pytest.raises(Incomplete, match="Enter what you found"):
        screenings.tick(case, CheckCode.ADDRESS_CONFIRMED, result, note=" ", by=ada, at=NOON)

    assert CheckCode.ADDRESS_CONFIRMED in list_open_items(case)


def test_the_worst_result_follows_the_ticks(case, ada, tmp_path):
    load(tmp_path)
    screenings.rerun(case, by=ada, at=later(minutes=1))
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

    screenings.rerun(case, by=bob, at=later(minutes=10))
    screenings.rerun(case, by=bob, at=later(minutes=20))

    assert CheckCode.ADDRESS_CONFIRMED not in list_open_items(case)
    kept = Check.objects.get(run__number=3, code=CheckCode.ADDRESS_CONFIRMED)
    assert (kept.by, kept.note) == (ada, "Seen.")


@pytest.mark.parametrize("code", [CheckCode.SANCTIONS, CheckCode.SSN_SERIAL])
def test_staff_tick_no_rule_and_no_list(case, ada, code):
    with pytest.raises(screenings.NotForStaff):
        tick(case, ada, code)


def test_a_newer_list_has_open_cases_checked_again(case, submitted, tmp_path):
    decided = submitted("1111")
    Application.objects.filter(pk=decided.pk).update(status=Status.APPROVED)
    Lead.objects.filter(pk=case.lead_id).update(first_name="Ana", last_name="Perez Nakar")
    loaded = load(tmp_path)

    again = [one.application_id for one in screenings.recheck_outdated(at=later(days=1))]
    assert again == [case.external_id, decided.external_id]
    assert list(screenings.recheck_outdated(at=later(days=2))) == []

    newest = case.check_runs.first()
    assert (newest.number, newest.cause) == (2, RunCause.LIST_LOADED)
    assert newest.sanctions_list == loaded.sha256
    assert newest.checks.get(code=CheckCode.SANCTIONS).details["count"] == 1
    found = Application.objects.get(pk=case.pk)
    assert (found.status, found.risk) == (Status.IN_REVIEW, Risk.HIGH)


@pytest.mark.parametrize("status", [Status.APPROVED, Status.APPROVED_TEMPORARY])
def test_a_customer_with_a_new_hit_waits_for_staff_and_stays_approved(submitted, status, tmp_path):
    customer = submitted(first_name="Ana", last_name="Perez Nakar")
    screen()
    Application.objects.filter(pk=customer.pk).update(status=status)
    load(tmp_path)

    list(screenings.recheck_outdated(at=later(days=1)))

    customer.refresh_from_db()
    assert (customer.status, customer.new_hit_at) == (status, later(days=1))
    last = customer.events.order_by("number").last()
    assert (last.type, last.sequence) == (EventType.CHECKED, None)


def test_customers_wait_for_open_cases_and_for_the_next_run(submitted, tmp_path):
    first, second, case = (submitted(number) for number in ("1111", "2222", "3333"))
    Application.objects.update(status=Status.APPROVED)
    Application.objects.filter(pk=case.pk).update(status=Status.IN_REVIEW)
    load(tmp_path)

    until = iter([False, True]).__next__
    run = [one.application_id for one in screenings.recheck_outdated(at=NOON, until=until)]
    late = [one.application_id for one in screenings.recheck_outdated(at=NOON, until=lambda: True)]
    following = [one.application_id for one in screenings.recheck_outdated(at=NOON)]

    assert run == [case.external_id, first.external_id]
    assert (late, following) == ([], [second.external_id])


def test_a_customer_whose_hit_is_known_does_not_wait_again(submitted, tmp_path):
    customer = submitted(first_name="Ana", last_name="Perez Nakar")
    screen()
    load(tmp_path)
    list(screenings.recheck_outdated(at=later(days=1)))
    Application.objects.update(new_hit_at=None)
    load(tmp_path, sdn=[*SDN, SDN[0].replace("36", "37", 1)], at=later(days=2))

    list(screenings.recheck_outdated(at=later(days=3)))

    customer.refresh_from_db()
    assert (customer.check_runs.count(), customer.new_hit_at) == (3, None)


def test_documents_that_came_in_are_checked_again_too(case):
    Application.objects.update(status_changed_at=later(hours=1))

    assert len(list(screenings.recheck_outdated(at=later(hours=2)))) == 1

    assert case.check_runs.first().cause == RunCause.ANSWERED


@pytest.mark.parametrize("providers", [["BUILT_IN", "MANUAL"], ["MANUAL"]])
def test_what_came_in_during_a_review_is_checked_again(case, settings, providers):
    settings.CHECK_PROVIDERS = providers
    make_event(case, EventType.DOCUMENT_RECEIVED, at=later(hours=1))

    assert len(list(screenings.recheck_outdated(at=later(hours=2)))) == 1
    assert list(screenings.recheck_outdated(at=later(hours=3))) == []

    assert case.check_runs.first().cause == RunCause.ANSWERED
    assert Application.objects.get().status == Status.IN_REVIEW


def test_who_is_approved_for_the_time_being_is_held_against_a_newer_list(submitted, tmp_path):
    application = submitted("0007", first_name="Ibrahim", last_name="Zarquonian")
    screen()
    load(tmp_path)

    assert [one.fault for one in screenings.recheck_outdated(at=later(days=1))] == [""]

    found = Application.objects.get()
    assert (found.status, found.risk) == (Status.APPROVED_TEMPORARY, Risk.HIGH)
    assert application.check_runs.first().cause == RunCause.LIST_LOADED
    assert list(audit.find_faults()) == []


def test_where_nobody_checks_no_case_is_outdated(case, settings):
    settings.CHECK_PROVIDERS = []
    make_event(case, EventType.CHANGED, at=later(hours=1))

    assert not screenings.is_outdated(case)
    assert list(screenings.recheck_outdated(at=later(days=1))) == []


def test_where_nobody_looks_at_the_list_no_case_is_checked_again(case, settings, tmp_path):
    settings.CHECK_PROVIDERS = ["MANUAL"]
    load(tmp_path)

    assert list(screenings.recheck_outdated(at=later(days=1))) == []


def test_a_case_that_cannot_be_checked_again_stops_none_of_the_others(
    case, submitted, tmp_path, monkeypatch
):
    other = submitted("1111")
    Application.objects.filter(pk=other.pk).update(status=Status.IN_REVIEW)
    run_checks = screenings.run_checks

    def fail_once(application, **options):
        if application.pk == case.pk:
            raise RuntimeError
        run_checks(application, **options)

    monkeypatch.setattr(screenings, "run_checks", fail_once)
    load(tmp_path)

    outcomes = list(screenings.recheck_outdated(at=later(days=1)))

    assert [one.fault for one in outcomes] == ["RuntimeError", ""]
    assert (case.check_runs.count(), other.check_runs.count()) == (1, 1)


def test_of_two_further_runs_at_once_each_has_its_number(in_threads, settings):
    application = make_submitted()
    Application.objects.update(status=Status.IN_REVIEW)
    ada = make_reviewer()
    give(application, ada)

    def rerun(minute):
        return screenings.rerun(application, by=ada, at=later(minutes=minute)).number

    assert sorted(in_threads(rerun, [1, 2])) == [1, 2]

"""Screenings: where the checks take a submitted application."""

import threading

import pytest
from django.db import connection, transaction

from banking.models import Account
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import (
    CheckResult,
    DenialReason,
    IdentityStatus,
    Risk,
    Role,
    RunCause,
)
from onboarding.event_types import EventType
from onboarding.models import Application, Lead
from onboarding.queries import audit
from onboarding.queries.checks import list_open_items
from onboarding.queries.leads import open_lead_file
from onboarding.screening.manual import ITEMS
from onboarding.services.checks import screenings
from onboarding.services.reviews import decisions
from tests.factories import NOON, later, make_document
from tests.onboarding.sanctions_files import load
from tests.onboarding.services.checks.submitted import complete, events, make_submitted, screen
from tests.onboarding.services.leads.test_submissions import make_complete_owner


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
    assert screenings.is_waiting(at=NOON)


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


@pytest.mark.parametrize("values", [{"naics_code": "713210"}, {"birth_date": "2015-01-01"}])
@pytest.mark.parametrize("policy", ["never", "clear", "despite-warnings"])
def test_who_is_under_age_or_in_a_refused_industry_is_denied(submitted, settings, policy, values):
    settings.AUTO_APPROVAL = policy
    submitted(**values)

    screen()

    application = Application.objects.get()
    assert (application.status, application.worst_result) == (Status.DENIED, CheckResult.FAIL)
    assert events().get().details["reason_codes"] == [DenialReason.NOT_ELIGIBLE]


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

"""Screenings: where the checks take a submitted application."""

import pytest

from banking.models import Account
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import EventType, IdentityStatus, Role
from onboarding.models import Application, Event
from onboarding.queries import audit
from onboarding.queries.leads import open_lead_file
from onboarding.services import decisions, screenings
from tests.factories import NOON, later, make_document
from tests.onboarding.services.test_submissions import make_complete, make_complete_owner


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
    return screenings.screen_submitted(at=at)


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

"""Decisions: what staff and checks make of an application."""

import pytest

from banking.models import Account
from banking.services import account_opening as banking_openings
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DenialReason, IdentityStatus, LlcFileType
from onboarding.event_types import EventType
from onboarding.models import Application, Event, Owner
from onboarding.queries import audit
from onboarding.queries.leads import open_lead_file
from onboarding.services.applications import account_opening
from onboarding.services.applications.lifecycle import InvalidMove
from onboarding.services.events.history import APPLICANT, CHECKS, Actor, Role
from onboarding.services.reviews import decisions
from onboarding.services.reviews.decisions import AccountStillOpen
from tests.factories import NOON, later, make_document, make_transaction
from tests.onboarding.cases import load
from tests.onboarding.services.leads.test_submissions import make_complete, make_complete_owner

REVIEWER = Actor(Role.REVIEWER, "ada")


@pytest.fixture
def make(db):
    def make(status=Status.IN_REVIEW, **values):
        application = make_complete(**values)
        Application.objects.update(status=status)
        return load(application)

    return make


def recorded():
    return [(event.type, event.details) for event in Event.objects.order_by("number")]


def types():
    return [event_type for event_type, _ in recorded()]


def test_an_approval_opens_the_account_in_the_same_breath(make):
    decisions.approve(make(), by=REVIEWER, at=NOON)

    application = Application.objects.get()
    assert (application.status, application.account.opened_at) == (Status.APPROVED, NOON)
    assert types() == [EventType.APPROVED, EventType.ACCOUNT_OPENED, EventType.INVITED]
    assert list(audit.find_faults()) == []


def test_an_approval_without_an_account_is_none(make, monkeypatch):
    def fail(*_args, **_options):
        raise RuntimeError

    application = make()
    monkeypatch.setattr(account_opening, "open_account", fail)

    with pytest.raises(RuntimeError):
        decisions.approve(application, by=REVIEWER, at=NOON)

    assert load(application).status == Status.IN_REVIEW
    assert not Event.objects.exists()


def test_a_second_approval_is_refused_and_opens_nothing(make):
    first = make()
    second = load(first)

    decisions.approve(first, by=REVIEWER, at=NOON)
    with pytest.raises(InvalidMove):
        decisions.approve(second, by=REVIEWER, at=NOON)

    assert Account.objects.of_customers().count() == 2


def test_of_two_approvals_at_once_one_opens_an_account(make_application, in_threads):
    application = make_complete()
    Application.objects.update(status=Status.IN_REVIEW)

    outcomes = in_threads(
        lambda one: decisions.approve(one, by=REVIEWER, at=NOON),
        [load(application), load(application)],
    )

    assert sum(isinstance(outcome, InvalidMove) for outcome in outcomes) == 1
    assert outcomes.count(None) == 1
    assert Account.objects.of_customers().count() == 2


def test_a_temporary_approval_ends_in_thirty_days_and_names_what_is_missing(make):
    decisions.approve_temporarily(make(), by=REVIEWER, at=NOON)

    application = Application.objects.get()
    ends = later(days=30).date()
    assert (application.status, application.expiration_date) == (Status.APPROVED_TEMPORARY, ends)
    assert application.deadline == later(days=31)
    missing = ["ARTICLES_OF_ORGANIZATION", "IRS_EIN_LETTER"]
    (approved, details), (opened, account), _invited = recorded()
    assert (approved, opened) == (EventType.APPROVED_TEMPORARY, EventType.ACCOUNT_OPENED)
    assert details == {"expiration_date": ends.isoformat(), "missing_documents": missing}
    assert (account["is_temp"], account["expiration_date"]) == (True, ends.isoformat())
    assert account["missing_documents"] == missing


def test_a_final_approval_follows_a_temporary_one_with_the_same_account(make):
    application = make()
    decisions.approve_temporarily(application, by=REVIEWER, at=NOON)
    account = load(application).account

    decisions.approve(load(application), by=REVIEWER, at=later(days=1))

    application = load(application)
    assert (application.status, application.expiration_date) == (Status.APPROVED, None)
    assert application.account == account
    assert types().count(EventType.ACCOUNT_OPENED) == 1


def test_a_denial_tells_the_partner_why(make):
    decisions.deny(make(), reasons=[DenialReason.NOT_VERIFIED], by=REVIEWER, at=NOON)

    assert recorded() == [(EventType.DENIED, {"reason_codes": ["NOT_VERIFIED"]})]


def test_a_temporary_approval_may_have_another_end(make):
    ends = later(days=45).date()

    decisions.approve_temporarily(make(), until=ends, by=REVIEWER, at=NOON)

    assert Application.objects.get().expiration_date == ends


def test_what_the_applicant_is_told_of_a_denial_is_kept_from_the_partner(make):
    reasons, text = [DenialReason.RISK_APPETITE], "We wish you well."

    decisions.deny(make(), reasons=reasons, applicant_text=text, by=REVIEWER, at=NOON)

    application = Application.objects.get()
    assert (application.applicant_text, application.decided_at) == (text, NOON)
    assert recorded() == [(EventType.DENIED, {"reason_codes": ["RISK_APPETITE"]})]


@pytest.mark.parametrize("reason", DenialReason)
def test_applicants_read_each_reason_in_their_language(reason):
    assert reason.applicant_text.endswith(".")
    for text in (reason.applicant_text, str(reason.label)):
        assert not {"sanction", "list", "ofac"} & set(text.lower().split())


def test_a_lead_that_was_denied_gets_another_attempt_and_a_new_way_in(make):
    denied = make(Status.DENIED)

    attempt = decisions.reopen(denied, by=REVIEWER, at=NOON, reason_id="1")

    assert (attempt.attempt, attempt.status, attempt.is_current) == (2, Status.CREATED, True)
    assert attempt.link_digest != denied.link_digest
    assert not Application.objects.get(pk=denied.pk).is_current
    assert recorded() == [(EventType.REOPENED, {"reason_id": "1"})]
    assert list(audit.find_faults()) == []


def test_a_lead_whose_account_is_still_open_gets_no_second_one(make):
    application = make()
    decisions.approve_temporarily(application, by=REVIEWER, at=NOON)
    account = load(application).account
    make_transaction(account, amount_cents=100)
    reasons = [DenialReason.NOT_VERIFIED]
    decisions.deny(load(application), reasons=reasons, by=REVIEWER, at=later(days=1))

    with pytest.raises(AccountStillOpen, match="Settle it first"):
        decisions.reopen(load(application), by=REVIEWER, at=later(days=2))

    assert Application.objects.get().is_current
    make_transaction(account, amount_cents=-100)
    banking_openings.close(account, at=later(days=3))
    assert decisions.reopen(load(application), by=REVIEWER, at=later(days=4)).attempt == 2


@pytest.mark.parametrize("status", sorted(set(Status) - {Status.DENIED}))
def test_only_what_was_denied_is_reopened(make, status):
    with pytest.raises(InvalidMove):
        decisions.reopen(make(status), by=REVIEWER, at=NOON)

    assert Application.objects.count() == 1


def test_of_two_reopenings_at_once_one_begins_an_attempt(make_application, in_threads):
    application = make_complete()
    Application.objects.update(status=Status.DENIED)

    outcomes = in_threads(
        lambda one: decisions.reopen(one, by=REVIEWER, at=NOON),
        [load(application), load(application)],
    )

    assert sum(isinstance(outcome, InvalidMove) for outcome in outcomes) == 1, outcomes
    assert Application.objects.count() == 2


def test_documents_are_asked_for_with_those_that_the_checklist_misses(make):
    application = make()
    make_document(application.lead, llc_file_type="ARTICLES_OF_ORGANIZATION")
    reasons = {LlcFileType.UTILITY_BILL: "The first one cannot be read."}

    decisions.request_documents(application, reasons, by=REVIEWER, at=later(hours=1))

    assert recorded() == [
        (EventType.DOCUMENTS_REQUIRED, {"missing_docs": ["IRS_EIN_LETTER", "UTILITY_BILL"]})
    ]
    requested = [
        one
        for one in open_lead_file(load(application)).requirements
        if one.code == "UTILITY_BILL_REQUESTED"
    ]
    assert [one.message for one in requested] == ["The first one cannot be read."]


def test_asking_again_takes_the_place_of_the_first_time(make):
    application = make()
    for reason in ("Blurred.", "Cut off."):
        Application.objects.update(status=Status.IN_REVIEW)
        reasons = {LlcFileType.UTILITY_BILL: reason}
        decisions.request_documents(load(application), reasons, by=REVIEWER, at=NOON)

    assert [one["reason"] for one in load(application).document_requests] == ["Cut off."]


def test_everybody_who_must_prove_identity_is_named_to_the_partner(make):
    application = make(Status.SUBMITTED)
    owner = make_complete_owner(application.lead)

    decisions.request_identity(application, [application.lead, owner], by=CHECKS, at=NOON)

    asked = EventType.IDENTITY_REQUESTED
    assert recorded() == [(asked, {}), (asked, {"ubo_id": str(owner.external_id)})]
    application = load(application)
    assert application.status == Status.ID_VERIFICATION
    assert application.lead.identity_status == IdentityStatus.REQUESTED
    assert Owner.objects.get().identity_status == IdentityStatus.REQUESTED
    assert list(audit.find_faults()) == []


@pytest.mark.parametrize(
    ("status", "is_complete", "target", "expected"),
    [
        (Status.SUBMITTED, True, Status.IN_REVIEW, [EventType.IN_REVIEW]),
        (Status.SUBMITTED, False, Status.DOCUMENTS_REQUIRED, [EventType.DOCUMENTS_REQUIRED]),
        (Status.ID_VERIFICATION, True, Status.IN_REVIEW,
         [EventType.IDENTITY_COMPLETED, EventType.IN_REVIEW]),
        (Status.ID_VERIFICATION, False, Status.DOCUMENTS_REQUIRED,
         [EventType.IDENTITY_COMPLETED, EventType.DOCUMENTS_REQUIRED]),
        (Status.IN_REVIEW, True, Status.IN_REVIEW, [EventType.IDENTITY_COMPLETED]),
    ],
)  # fmt: skip
def test_verified_identities_let_the_application_go_on(make, status, is_complete, target, expected):
    application = make(status)
    for kind in ("ARTICLES_OF_ORGANIZATION", "IRS_EIN_LETTER") if is_complete else ():
        make_document(application.lead, llc_file_type=kind)

    decisions.verify_identities(application, by=CHECKS, at=NOON)

    application = load(application)
    assert application.status == target
    assert application.lead.identity_status == IdentityStatus.VERIFIED
    assert types() == expected


@pytest.mark.parametrize("status", [Status.CREATED, Status.APPROVED, Status.DENIED])
def test_what_the_lifecycle_has_not_is_refused(make, status):
    application = make(status)
    decide = [
        lambda: decisions.approve(application, by=REVIEWER, at=NOON),
        lambda: decisions.approve_temporarily(application, by=REVIEWER, at=NOON),
        lambda: decisions.deny(
            application, reasons=[DenialReason.NOT_ELIGIBLE], by=REVIEWER, at=NOON
        ),
        lambda: decisions.request_documents(
            application, {LlcFileType.PASSPORT: "Expired."}, by=REVIEWER, at=NOON
        ),
        lambda: decisions.request_identity(application, [application.lead], by=CHECKS, at=NOON),
        lambda: decisions.verify_identities(application, by=CHECKS, at=NOON),
    ]

    for call in decide:
        with pytest.raises(InvalidMove):
            call()

    assert not Event.objects.exists()


def test_applicants_do_not_approve_themselves(make):
    with pytest.raises(InvalidMove):
        decisions.approve(make(), by=APPLICANT, at=NOON)

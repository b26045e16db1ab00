"""The sandbox: what each activity does, where it may, and that real rules hold."""

from decimal import Decimal

import pytest

from banking.models import Account
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DocumentStatus, IdentityStatus, Role
from onboarding.event_types import EventType
from onboarding.models import Application, Consent, Document, Event, FlowSession
from onboarding.queries import audit
from onboarding.queries.leads import LeadNotFound, open_lead_file
from onboarding.services.documents import intake
from onboarding.services.reviews import decisions
from onboarding.services.sandbox import simulations
from onboarding.services.sandbox.simulations import Activity, ActivityNotAllowed
from tests.factories import NOON, later, make_application, make_lead, make_owner, make_partner
from tests.onboarding.cases import load
from tests.onboarding.services.leads.test_submissions import ADDRESS, make_complete

DOCUMENTED = ["docv_upload", "llc_doc_upload", "kyb_provider_upload", "compliance_approve"]
LLC = ["ARTICLES_OF_ORGANIZATION", "IRS_EIN_LETTER"]


@pytest.fixture
def make(db, stored_files):
    """Make a lead of which no more is known than its email."""

    def make(status=Status.CREATED, **values):
        return make_application(make_lead(**{"business_name": "", **values}), status=status)

    return make


def play(application, activity, *, at=NOON):
    lead = application.lead
    return simulations.play(
        partner=lead.partner,
        customer_id=str(lead.external_id),
        activity=Activity(activity),
        at=at,
    )


def types(played):
    return [event.type for event in played.events]


def test_the_documented_four_take_a_new_lead_to_its_account(make):
    application = make()

    played = [
        play(application, activity, at=later(minutes=minute))
        for minute, activity in enumerate(DOCUMENTED)
    ]

    assert [types(one) for one in played] == [
        [
            EventType.STARTED,
            EventType.SUBMITTED,
            EventType.IDENTITY_REQUESTED,
            EventType.DOCUMENT_RECEIVED,
            EventType.IDENTITY_COMPLETED,
            EventType.DOCUMENTS_REQUIRED,
        ],
        [EventType.DOCUMENT_RECEIVED, EventType.DOCUMENT_RECEIVED, EventType.IN_REVIEW],
        [EventType.IDENTITY_COMPLETED],
        [EventType.APPROVED, EventType.ACCOUNT_OPENED],
    ]
    assert [one.application.status for one in played] == [
        Status.DOCUMENTS_REQUIRED,
        Status.IN_REVIEW,
        Status.IN_REVIEW,
        Status.APPROVED,
    ]
    sequences = [event.sequence for one in played for event in one.events]
    assert sequences == list(range(1, 13))
    assert list(audit.find_faults()) == []
    assert load(application).account.masked_number


@pytest.mark.parametrize(
    "business_type",
    ["DBA", "LLC", "MMLLC", "GENERAL_PARTNERSHIP", "LLP", "S_CORP", "SSN", "C_CORP"],
)
def test_the_documented_four_do_so_for_any_business(make, business_type):
    application = make(business_type=business_type)

    for activity in DOCUMENTED:
        play(application, activity)

    assert load(application).status == Status.APPROVED
    assert open_lead_file(load(application)).requirements == []


@pytest.mark.parametrize("serial", ["0001", "0002", "0003", "0004", "0007"])
def test_the_documented_four_do_so_whatever_the_number_means(make, serial):
    application = make(ssn=f"12345{serial}")

    for activity in DOCUMENTED:
        play(application, activity)

    assert load(application).status == Status.APPROVED


@pytest.mark.parametrize(
    ("serial", "target"),
    [
        ("0001", Status.DENIED),
        ("0002", Status.DOCUMENTS_REQUIRED),
        ("0003", Status.ID_VERIFICATION),
        ("0004", Status.IN_REVIEW),
        ("0007", Status.APPROVED_TEMPORARY),
        ("6789", Status.APPROVED),
    ],
)
def test_who_submits_goes_where_the_number_leads(make, serial, target):
    application = make(ssn=f"98765{serial}")

    played = play(application, "submit")

    assert (played.previous_status, played.application.status) == (Status.CREATED, target)
    assert types(played)[:2] == [EventType.STARTED, EventType.SUBMITTED]
    assert load(application).lead.ssn == f"98765{serial}"


def test_an_applicant_who_opens_is_not_left_signed_in(make):
    application = make()

    played = play(application, "open")

    assert (types(played), played.application.status) == ([EventType.STARTED], Status.IN_PROGRESS)
    assert load(application).entered_at == NOON
    assert not FlowSession.objects.exists()


def test_a_submission_keeps_what_is_known_and_fills_in_the_rest(make):
    application = make(
        first_name="Ada",
        city="Boston",
        business_type="SSN",
        ownership_percent=40,
        edd_answers=[{"question": "Source of funds?"}],
    )
    lead = application.lead
    make_owner(lead, email="", first_name="Grace")
    make_owner(lead, ownership_percent=Decimal("30.5"))
    make_owner(lead, address=ADDRESS)

    play(application, "submit")

    lead = load(application).lead
    assert (lead.first_name, lead.city, lead.business_type) == ("Ada", "Boston", "SSN")
    assert (lead.last_name, lead.ssn, lead.ein) == ("Sandbox", "123456789", "")
    assert lead.edd_answers[0]["answer"]
    grace, second, third = lead.owners.order_by("pk")
    assert grace.first_name == "Grace"
    assert grace.email.endswith("@example.com")
    assert len({lead.ssn, *(owner.ssn for owner in (grace, second, third))}) == 4
    shares = [owner.ownership_percent for owner in (grace, second, third)]
    assert shares == [Decimal("14.75"), Decimal("30.5"), Decimal("14.75")]
    assert Consent.objects.count() == 4
    assert lead.supplied_by["last_name"] == "APPLICANT"


@pytest.mark.parametrize(
    "values",
    [
        {"first_name": "7", "last_name": "X"},
        {"first_name": "玲", "last_name": "王"},
        {"country": "DE", "passport_number": "X12345678", "id_country": "DE"},
        {"is_control_person": True},
        {"ownership_percent": 100},
        {"business_type": "C_CORP", "business_address": {"country": "DE"}},
    ],
)
def test_whatever_a_lead_is_like_it_can_be_submitted(make, values):
    application = make(**values)
    make_owner(application.lead, is_control_person=True)

    assert play(application, "submit").application.status == Status.APPROVED


def test_proofs_come_from_everybody_who_was_asked(make):
    application = make(ssn="123450003")
    owner = make_owner(application.lead, ssn="223450003")
    play(application, "submit")

    play(application, "docv_upload", at=later(minutes=1))

    proofs = Document.objects.order_by("pk").values_list("owner", "llc_file_type", "detected_type")
    assert list(proofs) == [
        (None, "GOVERNMENT_IDENTIFICATION", "image/png"),
        (owner.pk, "GOVERNMENT_IDENTIFICATION", "image/png"),
    ]
    assert load(application).status == Status.DOCUMENTS_REQUIRED


def test_documents_are_real_files_and_complete_the_list(make, stored_files):
    application = make(ssn="123450002")
    play(application, "submit")

    played = play(application, "llc_doc_upload", at=later(minutes=1))

    assert types(played) == [*[EventType.DOCUMENT_RECEIVED] * 2, EventType.IN_REVIEW]
    assert played.events[1].details["action"] == "firstUploadDocs"
    stored = Document.objects.order_by("pk")
    assert [document.llc_file_type for document in stored] == LLC
    assert {document.detected_type for document in stored} == {"application/pdf"}
    assert {document.status for document in stored} == {DocumentStatus.RECEIVED}
    assert len(stored_files()) == 2


def test_a_provider_that_verifies_everybody_sends_the_case_to_staff(make):
    application = make(ssn="123450003")
    play(application, "submit")
    play(application, "llc_doc_upload")

    played = play(application, "kyb_provider_upload")

    assert types(played) == [EventType.IDENTITY_COMPLETED, EventType.IN_REVIEW]
    assert load(application).lead.identity_status == IdentityStatus.VERIFIED


def test_staff_ask_for_a_document_once_more(make):
    application = make()
    for activity in DOCUMENTED[:3]:
        play(application, activity)

    asked = play(application, "docs_required", at=later(minutes=1))
    sent = play(application, "llc_doc_upload", at=later(minutes=2))

    assert asked.events[0].details == {"missing_docs": ["GOVERNMENT_IDENTIFICATION"]}
    assert (asked.events[0].role, asked.events[0].who) == (Role.REVIEWER, "sandbox")
    assert types(sent) == [EventType.DOCUMENT_RECEIVED, EventType.IN_REVIEW]


def test_staff_deny_for_a_reason_that_the_partner_may_know(make):
    application = make(ssn="123450004")
    play(application, "submit")

    played = play(application, "compliance_reject")

    assert played.application.status == Status.DENIED
    assert played.events[0].details == {"reason_codes": ["NOT_ELIGIBLE"]}
    assert played.allowed_activities == []


def test_a_temporary_approval_becomes_a_final_one_with_the_same_account(make):
    application = make(ssn="123450004")
    play(application, "submit")

    first = play(application, "temp_approve")
    second = play(application, "compliance_approve", at=later(days=1))

    assert first.events[1].details["expiration_date"] == later(days=30).date().isoformat()
    assert types(first) == [EventType.APPROVED_TEMPORARY, EventType.ACCOUNT_OPENED]
    assert types(second) == [EventType.APPROVED]
    assert Account.objects.of_customers().count() == 2


@pytest.mark.parametrize(
    "status",
    [Status.CREATED, Status.IN_PROGRESS, Status.ID_VERIFICATION, Status.DOCUMENTS_REQUIRED],
)
def test_the_clock_can_be_forced(make, status):
    played = play(make(status), "expire")

    assert played.application.status == Status.EXPIRED
    assert played.events[0].role == Role.CLOCK


REFUSED = [
    (status, activity)
    for status in Status
    for activity in Activity
    if not activity.is_allowed(status)
]


@pytest.mark.parametrize(("status", "activity"), REFUSED)
def test_what_cannot_happen_now_is_refused_with_what_can(make, status, activity):
    application = make(status)

    with pytest.raises(ActivityNotAllowed) as refused:
        play(application, activity)

    (fault,) = refused.value.faults
    names = [one.value for one in Activity if one.is_allowed(status)]
    assert fault.text().endswith(f"allowed now: {', '.join(names) or 'nothing'}.")
    assert load(application).status == status
    assert not Event.objects.exists()


ALLOWED = [
    (status, activity) for status in Status for activity in Activity if activity.is_allowed(status)
]


@pytest.mark.parametrize(("status", "activity"), ALLOWED)
def test_what_is_said_to_be_allowed_can_happen(db, stored_files, status, activity):
    application = make_complete()
    Application.objects.update(status=status)

    play(application, activity)

    assert list(audit.find_faults()) == []


def test_what_is_played_is_all_or_nothing(make, stored_files, monkeypatch):
    def fail(*_args, **_options):
        raise RuntimeError

    application = make()
    monkeypatch.setattr(intake, "renew_duplicates", fail)

    with pytest.raises(RuntimeError):
        play(application, "docv_upload")

    assert load(application).status == Status.CREATED
    assert not Event.objects.exists()
    assert stored_files() == []


def test_another_partner_plays_with_nothing_of_this_one(make):
    application = make()

    with pytest.raises(LeadNotFound):
        simulations.play(
            partner=make_partner(),
            customer_id=str(application.lead.external_id),
            activity=Activity.OPEN,
            at=NOON,
        )


def test_of_two_activities_at_once_one_is_refused(in_threads):
    application = make_complete()
    Application.objects.update(status=Status.IN_REVIEW)

    outcomes = in_threads(
        lambda activity: play(application, activity), ["compliance_approve", "compliance_reject"]
    )

    assert sum(isinstance(outcome, ActivityNotAllowed) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, simulations.Played) for outcome in outcomes) == 1
    assert list(audit.find_faults()) == []


def test_a_decision_that_staff_made_meanwhile_is_not_played_over(db):
    application = make_complete()
    Application.objects.update(status=Status.IN_REVIEW)
    decisions.approve(load(application), by=simulations.STAFF, at=NOON)

    with pytest.raises(ActivityNotAllowed):
        play(application, "compliance_reject")

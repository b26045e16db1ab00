"""Submissions: what must be there, what is signed, and that it is signed once."""

import pytest
from django.db import connection

from foundation.database import append_only
from onboarding import legal_texts
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import LegalText
from onboarding.errors import ErrorCode, Invalid
from onboarding.event_types import EventType
from onboarding.models import Application, Consent, Event, Lead
from onboarding.queries import audit, evidence, fixed_rows
from onboarding.services.applications import attempts
from onboarding.services.applications.attempts import LeadLocked
from onboarding.services.events.history import APPLICANT, record_change
from onboarding.services.leads import submissions
from tests.factories import NOON, later, make_application, make_lead, make_owner

VERSION = "2026-11"
AGREED = dict.fromkeys(LegalText, VERSION)
PERSON = {
    "first_name": "José",
    "last_name": "Núñez-Ortega",
    "phone_number": "+12025550123",
    "birth_date": "1985-12-10",
    "ssn": "123456789",
    "ownership_percent": 60,
}
ADDRESS = {"line1": "1 Main Street", "city": "New York", "state": "NY", "postal_code": "10001"}
SUBMITTED = [status for status in Status if not status.is_editable]
BUSINESS = {
    "business_name": "Analytical Engines LLC",
    "business_type": "LLC",
    "business_address": ADDRESS,
    "naics_code": "541511",
    "ein": "123456789",
    "incorporation_state": "DE",
}


def make_complete(**values):
    """Return an application in which nothing but documents is missing."""
    lead = make_lead(**{**PERSON, **ADDRESS, **BUSINESS, **values})
    return make_application(lead, status=Status.IN_PROGRESS)


def make_complete_owner(lead, **values):
    values = {**PERSON, "address": ADDRESS, "ownership_percent": 40, **values}
    return make_owner(lead, **{"ssn": "223456789", "first_name": "Grace", **values})


@pytest.fixture
def application(db):
    return make_complete()


def submit(application, **values):
    stored = Application.objects.select_related("lead").get(pk=application.pk)
    values = {
        "signed_name": "José Núñez-Ortega",
        "agreed": AGREED,
        "language": "en",
        "seen": submissions.state_of(stored.lead),
        "at": later(minutes=5),
        **values,
    }
    return submissions.submit(stored, **values)


def assert_nothing_happened(application):
    application.refresh_from_db()
    assert (application.status, application.submitted_at) == (Status.IN_PROGRESS, None)
    assert not Consent.objects.exists()
    assert not Event.objects.exists()


def test_a_submission_is_signed_and_written_down(application):
    submit(application, signed_name="  José   Núñez-Ortega ", language="es")

    application.refresh_from_db()
    assert (application.status, application.submitted_at) == (Status.SUBMITTED, later(minutes=5))
    signed = Consent.objects.filter(application=application).order_by("pk")
    assert [consent.text for consent in signed] == list(LegalText)
    for consent in signed:
        assert (consent.version, consent.language) == (VERSION, "es")
        assert (consent.signed_name, consent.agreed_at) == ("José Núñez-Ortega", later(minutes=5))
    consented, submitted = Event.objects.order_by("number")
    assert (consented.type, consented.sequence) == (EventType.CONSENTED, None)
    assert consented.details == {
        "texts": {text.value: VERSION for text in LegalText},
        "language": "es",
        "answers_digest": evidence.compute_answers_digest([application.lead]),
        "answers_version": evidence.get_answers_version(),
        "record_digest": application.signed_record.digest,
        **fixed_rows.fix(*signed, application.signed_record),
    }
    assert {consent.answers_digest for consent in signed} == {consented.details["answers_digest"]}
    assert (submitted.type, submitted.sequence) == (EventType.SUBMITTED, 1)
    assert (submitted.previous_status, submitted.role) == (Status.IN_PROGRESS, "APPLICANT")


def test_the_chain_of_events_is_whole_afterwards(application):
    submit(application)

    assert list(audit.find_faults()) == []


@pytest.mark.parametrize(
    "values",
    [
        {"answers_digest": "0" * 64},
        {"answers_digest": ""},
        {"answers_version": ""},
        {"version": "1999-01"},
        {"agreed_at": NOON},
        {"entry": "EMBEDDED"},
        {"session_digest": "0" * 64},
        {"is_code_waived": True},
        None,
    ],
)
def test_a_consent_that_differs_from_its_signature_is_found_by_the_audit(
    application, values, monkeypatch
):
    monkeypatch.setattr(fixed_rows, "fix", lambda *rows: {})  # as events of former versions
    submit(application)
    append_only.unprotect(connection, "onboarding_consent")
    forged = Consent.objects.filter(text=LegalText.OWNERSHIP_CERTIFICATION)

    forged.update(**values) if values else forged.delete()

    (finding,) = audit.find_faults()
    assert (finding.number, finding.fault) == (1, "says other consents than there are")


@pytest.mark.parametrize(
    "values",
    [
        {"signed_name": "Eve Forger"},
        {"address": "203.0.113.9"},
        {"user_agent": "curl"},
        {"code_entered_at": NOON},
        {"language": "es"},
    ],
)
def test_a_changed_column_of_a_consent_is_found_by_the_audit(application, values):
    submit(application)
    append_only.unprotect(connection, "onboarding_consent")

    Consent.objects.filter(text=LegalText.OWNERSHIP_CERTIFICATION).update(**values)

    (finding,) = audit.find_faults()
    assert finding.number == 1
    assert finding.fault == "is about rows that were changed: Consent given"


def test_answers_that_change_after_the_signature_without_an_event_are_found(application):
    submit(application)
    Lead.objects.update(first_name="Eve")

    (finding,) = audit.find_faults()
    assert finding.number == 1
    assert finding.fault == "was signed for other answers than there are"


def test_answers_that_change_with_an_event_are_in_order(application):
    submit(application)
    stored = Application.objects.select_related("lead").get()
    stored.lead.first_name = "Jose"
    record_change(stored, ["firstName"], by=APPLICANT, at=later(hours=1), columns=["first_name"])

    assert list(audit.find_faults()) == []


@pytest.mark.parametrize(
    ("name", "empty", "code"),
    [
        ("birth_date", None, "BIRTH_DATE_MISSING"),
        ("ssn", "", "IDENTIFICATION_MISSING"),
        ("ein", "", "EIN_MISSING"),
        ("line1", "", "LINE1_MISSING"),
        ("ownership_percent", None, "OWNERSHIP_PERCENT_MISSING"),
    ],
)
def test_a_value_that_is_missing_blocks(db, name, empty, code):
    application = make_complete(**{name: empty})

    with pytest.raises(submissions.Incomplete) as refused:
        submit(application)

    assert [requirement.code for requirement in refused.value.requirements] == [code]
    assert_nothing_happened(application)


def test_a_value_that_is_missing_of_an_owner_blocks(application):
    owner = make_complete_owner(application.lead, address={})

    with pytest.raises(submissions.Incomplete) as refused:
        submit(application)

    missing = refused.value.requirements
    assert [(one.code, one.ubo_id) for one in missing] == [("ADDRESS_MISSING", owner.external_id)]


def test_a_question_without_an_answer_blocks(db):
    application = make_complete(edd_answers=[{"question": "Source of funds?", "answer": ""}])

    with pytest.raises(submissions.Incomplete) as refused:
        submit(application)

    assert [one.code for one in refused.value.requirements] == ["EDD_ANSWER_MISSING"]


def test_documents_may_follow(application):
    assert submit(application).status == Status.SUBMITTED


def test_nobody_needs_to_hold_a_quarter(db):
    application = make_complete(ownership_percent=10)
    make_complete_owner(application.lead, ownership_percent=5)

    assert submit(application).status == Status.SUBMITTED


def test_shares_beyond_the_whole_are_refused(application):
    make_complete_owner(application.lead, ownership_percent=41)

    with pytest.raises(Invalid) as refused:
        submit(application)

    assert {fault.code for fault in refused.value.faults} == {ErrorCode.OWNERSHIP_TOTAL_EXCEEDED}
    assert_nothing_happened(application)


@pytest.mark.parametrize(
    ("applicant", "owner", "is_refused"),
    [(None, None, False), (True, False, False), (False, True, False), (True, True, True)],
)
def test_one_person_at_most_controls_the_business(db, applicant, owner, is_refused):
    application = make_complete(is_control_person=applicant)
    make_complete_owner(application.lead, is_control_person=owner)

    try:
        submit(application)
    except submissions.TwoControlPersons:
        assert is_refused
        assert_nothing_happened(application)
    else:
        assert not is_refused


@pytest.mark.parametrize("text", LegalText)
def test_every_text_must_be_agreed_to(application, text):
    agreed = {one: version for one, version in AGREED.items() if one != text}

    with pytest.raises(submissions.NotAgreed) as refused:
        submit(application, agreed=agreed)

    assert refused.value.texts == [text]
    assert_nothing_happened(application)


def test_a_version_that_is_not_current_any_more_must_be_read_again(application):
    agreed = {**AGREED, LegalText.PRIVACY_NOTICE: "2020-01"}

    with pytest.raises(submissions.TextsChanged) as refused:
        submit(application, agreed=agreed)

    assert refused.value.texts == [LegalText.PRIVACY_NOTICE]
    assert_nothing_happened(application)


def test_the_versions_of_these_tests_are_the_current_ones():
    assert {legal_texts.current(text, "en").version for text in LegalText} == {VERSION}


@pytest.mark.parametrize("name", ["", " ", "7", "J", "12 34", "—", "J 1"])
def test_a_signature_is_a_name(application, name):
    with pytest.raises(submissions.NotAName):
        submit(application, signed_name=name)

    assert_nothing_happened(application)


@pytest.mark.parametrize("name", ["jose nunez ortega", "JOSÉ M. NÚÑEZ-ORTEGA"])
def test_the_applicants_name_is_a_signature_in_any_spelling(application, name):
    assert submit(application, signed_name=name).status == Status.SUBMITTED


@pytest.mark.parametrize("name", ["Grace Hopper", "Jo", "J. Núñez Ortega", "José", "José Núñez"])
def test_nobody_else_signs(application, name):
    with pytest.raises(submissions.AnotherName):
        submit(application, signed_name=name)

    assert_nothing_happened(application)


def test_what_changed_since_it_was_shown_must_be_read_again(application):
    seen = submissions.state_of(application.lead)
    application.lead.save()

    with pytest.raises(submissions.ChangedMeanwhile):
        submit(application, seen=seen)

    assert_nothing_happened(application)


@pytest.mark.parametrize("status", SUBMITTED)
def test_what_was_submitted_or_has_ended_is_not_submitted_again(application, status):
    Application.objects.update(status=status)

    with pytest.raises(LeadLocked):
        submit(application)

    assert not Consent.objects.exists()


def test_of_eight_submissions_at_once_one_is_written_down(in_threads):
    application = make_complete()

    outcomes = in_threads(lambda _: submit(application), range(8))

    assert [type(outcome) for outcome in outcomes].count(LeadLocked) == 7, outcomes
    assert Consent.objects.count() == len(LegalText)
    assert Event.objects.filter(type=EventType.SUBMITTED).count() == 1
    assert Lead.objects.get().event_count == Event.objects.count() == 2
    assert list(audit.find_faults()) == []


def test_a_submission_comes_before_a_withdrawal_or_not_at_all(in_threads):
    application = make_complete()

    def act(number):
        if number % 2:
            return submit(application)
        return attempts.withdraw_application(application, at=NOON)

    outcomes = in_threads(act, range(8))

    assert {type(one) for one in outcomes if isinstance(one, Exception)} <= {LeadLocked}
    assert Application.objects.get().status == Status.WITHDRAWN
    assert Consent.objects.count() in {0, len(LegalText)}
    assert list(audit.find_faults()) == []

"""Erasure of who never submitted anything."""

import pytest
from django.core.files.storage import storages
from django.db import models

from foundation.privacy.fields import BlindIndexField
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import LegalText, LlcFileType
from onboarding.event_types import EventType, MailKind
from onboarding.models import (
    AccessCode,
    Application,
    Consent,
    Document,
    Event,
    FlowSession,
    FormDraft,
    IdempotencyRecord,
    Lead,
    Mail,
    Note,
    Owner,
    ReplacedLink,
)
from onboarding.queries import audit
from onboarding.services.applications import lifecycle
from onboarding.services.events.history import CLOCK
from onboarding.services.privacy import erasure
from tests.factories import NOON, later, make_referral
from tests.onboarding.test_columns import LEAD

pytestmark = pytest.mark.usefixtures("own_store")
NOW = later(days=91)
BEFORE = later(days=1)
SKELETON = {
    "id",
    "external_id",
    "partner",
    "event_count",
    "last_sequence",
    "last_digest",
    "published_sequence",
    "created_at",
    "updated_at",
}
RELATED_TO_LEADS = {
    "erased": {"holders", "owners", "documents"},
    "blanked": {"applications"},
    "kept": {"events", "lanes", "publications"},  # which name nobody
    "never there before it is submitted": {"customers", "screening_hits"},
}
RELATED_TO_APPLICATIONS = {
    "erased": {
        *("access_codes", "flow_sessions", "form_drafts", "notes", "owner_records"),
        *("replaced_links", "replies", "partner_verifications", "verification_requests"),
    },
    "blanked": {"mails"},
    "kept": {"events", "notifications"},  # names and ids
    "never there before it is submitted": {
        *("check_runs", "customer", "escalations", "proposals", "quality_checks"),
        "signed_record",
    },
    "only ever added": {"consents"},  # before it is submitted, of owners who signed their own part
}
FULL = {  # a value for every column, of which no column is empty
    name: first or second
    for name, (first, second) in LEAD.items()
    if name not in {"external_id", "email", "is_control_person"}
} | {"is_control_person": True}


@pytest.fixture
def left(make_application, make_lead):
    """Return an application that nobody submitted and that ended at NOON, its lead full of data."""
    application = make_application(make_lead(**FULL, confirmed=["line1=0123"]))
    lifecycle.move(application, Status.EXPIRED, by=CLOCK, at=NOON)
    return application


def erase(before=BEFORE):
    return list(erasure.erase_unsubmitted(before=before, at=NOW))


def columns():
    return [field for field in Lead._meta.concrete_fields if field.name not in SKELETON]


def test_the_lead_to_erase_has_a_value_in_every_column_that_may_tell_of_somebody(left):
    lead = Lead.objects.get()

    empty = {
        field.name
        for field in columns()
        if getattr(lead, field.attname) == field.get_default() and field.name != "erased_at"
    }

    assert empty == set(), "Give the new column two values in tests/onboarding/test_columns.py."


def test_every_column_but_the_skeleton_is_emptied(left):
    outcomes = erase()

    lead = Lead.objects.get()
    assert [outcome.fault for outcome in outcomes] == [""]
    full = {
        field.name for field in columns() if getattr(lead, field.attname) != field.get_default()
    }
    assert full == {"email", "erased_at"}
    assert lead.email.endswith("@erased.invalid")
    assert lead.erased_at == NOW


def test_no_number_can_be_looked_up_any_more(left):
    erase()

    lead = Lead.objects.get()
    indexes = [field.name for field in columns() if isinstance(field, BlindIndexField)]
    assert indexes
    assert all(getattr(lead, name) == "" for name in indexes)


def test_the_referral_which_names_the_person_is_forgotten(left):
    Application.objects.update(referral=make_referral())

    erase()

    assert Application.objects.get().referral is None


def test_the_consent_of_an_owner_who_signed_stays_as_evidence(left):
    origin = {"address": "192.0.2.1", "user_agent": "Firefox"}
    Consent.objects.create(
        application=left,
        ubo_id=left.external_id,
        text=LegalText.PRIVACY_NOTICE,
        version="2026-01",
        language="en",
        signed_name="Grace Hopper",
        agreed_at=NOON,
        **origin,
    )

    erase()

    assert Lead.objects.get().erased_at == NOW
    assert Consent.objects.values("signed_name", *origin).get() == {
        "signed_name": "Grace Hopper",
        **origin,
    }


def test_each_table_about_a_lead_is_thought_of():
    related = {relation.get_accessor_name() for relation in Lead._meta.related_objects}

    assert related == set().union(*RELATED_TO_LEADS.values())


def test_each_table_about_an_application_is_thought_of():
    related = {relation.get_accessor_name() for relation in Application._meta.related_objects}

    assert related == set().union(*RELATED_TO_APPLICATIONS.values())


def test_owners_documents_and_files_are_gone(
    left, make_owner, make_document, django_capture_on_commit_callbacks
):
    owner = make_owner(left.lead, first_name="Grace", ssn="123-45-6780")
    make_document(left.lead, owner=owner, llc_file_type=LlcFileType.PASSPORT)
    files = [make_document(left.lead).file.name, Document.objects.first().file.name]

    with django_capture_on_commit_callbacks(execute=True):
        erase()

    assert not Owner.objects.exists()
    assert not Document.objects.exists()
    assert not any(storages["documents"].exists(name) for name in files)


def test_a_file_that_cannot_be_deleted_undoes_nothing(
    left, make_document, django_capture_on_commit_callbacks, monkeypatch, caplog
):
    make_document(left.lead)

    def fail(_name):
        raise OSError("the store is away")

    monkeypatch.setattr(storages["documents"], "delete", fail)
    with django_capture_on_commit_callbacks(execute=True):
        erase()

    assert Lead.objects.get().erased_at == NOW
    assert "left for the next sweep" in caplog.text


def test_what_was_said_and_how_they_came_in_is_gone(left, make_note):
    Application.objects.update(document_requests=[{"reason": "Ada's passport"}])
    make_note(left, text="Ada called.")
    AccessCode.objects.create(application=left, digest="a", sent_at=NOON, expires_at=NOON)
    FormDraft.objects.create(application=left, page="you", content="{}", expires_at=NOON)
    ReplacedLink.objects.create(application=left, digest="b", replaced_at=NOON)
    FlowSession.objects.create(application=left, digest="b", created_at=NOON, expires_at=NOON)
    IdempotencyRecord.objects.create(
        partner=left.lead.partner,
        method="POST",
        path=f"/service/api/v1/lead/{left.lead.external_id}",
        key="k",
        body_sha256="s",
        locked_until=NOON,
        expires_at=NOON,
        body={"email": "ada@example.com"},
    )
    links = (left.link_digest, left.token_digest)

    erase()

    left.refresh_from_db()
    rows = (Note, AccessCode, FlowSession, FormDraft, ReplacedLink, IdempotencyRecord)
    assert not any(model.objects.exists() for model in rows)
    assert left.document_requests == []
    assert not {left.link_digest, left.token_digest} & set(links)


def test_notes_about_an_earlier_attempt_are_gone_as_well(left, make_application, make_note):
    Application.objects.update(is_current=False)
    second = make_application(left.lead, attempt=2)
    lifecycle.move(second, Status.EXPIRED, by=CLOCK, at=NOON)
    for application in (left, second):
        make_note(application, text="Ada called.")

    erase()

    assert Lead.objects.get().erased_at == NOW
    assert not Note.objects.exists()


def test_a_mail_that_waits_is_not_sent_and_tells_nothing(left):
    mail = Mail.objects.create(
        kind=MailKind.CODE,
        application=left,
        language="en",
        code="123456",
        fault="550 ada@example.com is unknown",
        due_at=NOON,
        created_at=NOON,
    )

    erase()

    mail.refresh_from_db()
    assert (mail.status, mail.code, mail.fault) == ("CANCELLED", "", "")


def test_the_skeleton_and_its_audit_stay_whole(left):
    kept = Lead.objects.values_list("external_id", "partner", "created_at").get()

    erase()

    assert Lead.objects.values_list("external_id", "partner", "created_at").get() == kept
    types = list(Event.objects.order_by("number").values_list("type", flat=True))
    assert types == [EventType.EXPIRED, EventType.ERASED]
    assert list(audit.find_faults()) == []


def test_nobody_is_erased_twice(left):
    assert len(erase()) == 1
    assert erase() == []


def test_ninety_days_must_have_passed(left):
    assert erase(before=later(seconds=-1)) == []
    assert len(erase(before=NOON)) == 1


@pytest.mark.parametrize("status", sorted(set(Status) - {"EXPIRED", "WITHDRAWN"}))
def test_nobody_is_erased_before_the_end(make_application, status):
    make_application(status=status)

    assert erase() == []


def test_whoever_submitted_once_is_kept(make_application, make_lead):
    lead = make_lead()
    make_application(lead, status="WITHDRAWN", submitted_at=NOON, is_current=False)
    make_application(lead, status="EXPIRED", attempt=2)

    assert erase() == []


def test_a_new_attempt_keeps_the_lead(make_application, make_lead):
    lead = make_lead()
    make_application(lead, status="EXPIRED", is_current=False)
    make_application(lead, attempt=2)

    assert erase() == []


def test_one_that_fails_stops_none_of_the_others(left, make_application, monkeypatch):
    other = make_application(status="WITHDRAWN")
    record = erasure.history.record

    def fail_once(application, event_type, **options):
        if application == left:
            raise RuntimeError
        record(application, event_type, **options)

    monkeypatch.setattr(erasure.history, "record", fail_once)

    outcomes = erase()

    assert [outcome.fault for outcome in outcomes] == ["RuntimeError", ""]
    assert list(Lead.objects.exclude(erased_at=None)) == [other.lead]
    assert list(audit.find_faults()) == []


def test_each_text_of_an_owner_goes_with_its_row(left, make_owner):
    assert any(isinstance(field, models.TextField) for field in Owner._meta.concrete_fields)
    make_owner(left.lead)

    erase()

    assert not Owner.objects.exists()


def test_an_erased_lead_is_unknown_to_its_partner_and_may_come_again(api):
    first = api.create()
    Application.objects.update(status="EXPIRED", status_changed_at=NOON)
    erase()
    path = f"lead/{first['customerId']}"

    answers = [api.get(path), api.post(f"{path}/session", {}), api.delete(path)]
    again = api.create()

    assert [answer.status_code for answer in answers] == [404, 404, 404]
    assert {answer.json()["errors"][0]["codeName"] for answer in answers} == {"LEAD_NOT_FOUND"}
    assert again["customerId"] != first["customerId"]
    assert Lead.objects.count() == 2

"""The record of what was signed: its words, its digest, and that it stays."""

import pytest
from django.db import IntegrityError, connection

from foundation.database import append_only
from onboarding.choices import DocumentStatus, LegalText, Supplier
from onboarding.event_types import EventType
from onboarding.models import Event, Holder, Lead, Owner, SignedRecord, Stake
from onboarding.queries import audit
from onboarding.services.leads import signed_records
from tests.factories import NOON, later, make_document
from tests.onboarding.services.leads.test_submissions import (
    make_complete,
    make_complete_owner,
    submit,
)


@pytest.fixture
def application(db):
    application = make_complete()
    make_complete_owner(application.lead, first_name="Grace")
    make_document(application.lead, file_name="articles.pdf", llc_file_type="UTILITY_BILL")
    return application


def lines_of(section):
    return dict(section["lines"])


def test_a_submission_records_what_was_signed_in_words(application):
    submit(application)

    content = signed_records.get_record(application).content
    business, applicant, owner = content["sections"]
    assert lines_of(business)["Employer identification number (EIN)"] == "ending in 6789"
    assert lines_of(business)["Business address"] == "1 Main Street, New York, NY 10001"
    assert applicant["heading"] == "José Núñez-Ortega"
    assert lines_of(applicant)["Role"] == "Applicant"
    assert lines_of(applicant)["Controls the business"] == "Yes"
    assert lines_of(owner)["Name"] == "Grace Núñez-Ortega"
    assert "Controls the business" not in lines_of(owner)
    assert content["documents"] == ["articles.pdf (Utility bill)"]
    assert content["reference"] == application.reference
    assert content["signature"]["name"] == "José Núñez-Ortega"
    assert content["signature"]["at"] == "2026-03-02T12:05:00+00:00"
    assert content["signature"]["said_at"] == "March 2, 2026 at 7:05 AM EST"


def test_of_an_owners_file_the_sender_is_recorded_and_of_a_refused_file_nothing(application):
    lead = application.lead
    grace = lead.owners.get()
    sent = {"owner": grace, "supplied_by": Supplier.OWNER, "llc_file_type": "PASSPORT"}
    make_document(lead, file_name="visa-from-cuba.pdf", **sent)
    make_document(lead, file_name="note.docx", status=DocumentStatus.QUARANTINED)

    submit(application)

    assert signed_records.get_record(application).content["documents"] == [
        "articles.pdf (Utility bill)",
        "Identification from Grace Núñez-Ortega (Passport)",
    ]


def test_a_trust_is_recorded_with_the_people_behind_it(application):
    lead, grace = application.lead, application.lead.owners.get()
    Owner.objects.update(ownership_percent=5)
    trust = {
        "kind": "TRUST",
        "name": "Harbor Family Trust",
        "share_percent": 20,
        "created_at": NOON,
    }
    holder = Holder.objects.create(lead=lead, **trust)
    Stake.objects.create(holder=holder, owner=grace, share_percent=100)
    submit(application)

    *_, held, total = signed_records.get_record(application).content["sections"]

    assert held["heading"] == "Harbor Family Trust"
    assert lines_of(held)["Share of the business"] == "20%"
    assert lines_of(held)[grace.full_name] == "100%"
    assert lines_of(total)["Grace Núñez-Ortega"] == "25%"


def test_no_personal_number_is_in_it(application):
    submit(application)

    content = str(SignedRecord.objects.get().content)
    for number in ("123456789", "223456789", "123-45-6789"):
        assert number not in content


def test_each_text_is_named_with_version_and_digest(application):
    submit(application)

    texts = signed_records.get_record(application).content["texts"]
    assert [text["text"] for text in texts] == list(LegalText)
    assert {text["version"] for text in texts} == {"2026-11"}
    assert all(len(text["sha256"]) == 64 for text in texts)
    assert len({text["sha256"] for text in texts}) == len(LegalText)


def test_it_is_in_the_language_of_the_signature(application):
    submit(application, language="es")

    content = signed_records.get_record(application).content
    assert content["sections"][0]["heading"] == "Empresa"
    assert content["signature"]["said_at"] == "2 de marzo de 2026 a las 07:05 EST"


def test_its_digest_is_in_the_sealed_history(application):
    submit(application)

    record = SignedRecord.objects.get()
    event = Event.objects.get(type=EventType.CONSENTED)
    assert event.details["record_digest"] == record.digest
    assert record.digest == signed_records.compute_digest(record.content)
    assert list(audit.find_faults()) == []


def test_a_record_that_was_changed_is_found(application):
    submit(application)
    append_only.unprotect(connection, "onboarding_signedrecord")
    record = SignedRecord.objects.get()
    record.content["signature"]["name"] = "Eve"
    record.digest = signed_records.compute_digest(record.content)
    record.save()

    [finding] = audit.find_faults()

    assert finding.fault == "is about rows that were changed: Consent given"


def test_a_record_that_is_gone_is_found(application):
    submit(application)
    append_only.unprotect(connection, "onboarding_signedrecord")
    SignedRecord.objects.all().delete()

    assert [one.fault for one in audit.find_faults()] == [
        "is about rows that were changed: Consent given"
    ]


@pytest.mark.parametrize(
    "change",
    [
        lambda: SignedRecord.objects.update(digest=""),
        lambda: SignedRecord.objects.all().delete(),
    ],
)
def test_the_database_refuses_a_change(protected_tables, application, change):
    submit(application)

    with pytest.raises(IntegrityError, match="onboarding_signedrecord_no_"):
        change()


def test_answers_that_change_later_leave_the_record_as_it_is(application):
    submit(application)
    before = SignedRecord.objects.get().content
    Lead.objects.update(business_name="Another name", updated_at=later(days=1))

    assert SignedRecord.objects.get().content == before


def test_before_the_signature_there_is_no_record(application):
    assert not signed_records.has_record(application)
    with pytest.raises(signed_records.NotSigned):
        signed_records.get_record(application)

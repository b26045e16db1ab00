from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from django.core.files.storage import storages

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DocumentStatus, LlcFileType, Role, Supplier
from onboarding.event_types import EventType
from onboarding.models import Application, Document, Owner
from onboarding.queries import audit, fixed_rows
from onboarding.queries.leads import open_lead_file
from onboarding.services.applications.attempts import ApplicationClosed, CustomerAlreadyOnboarded
from onboarding.services.documents import applicant_documents as documents
from onboarding.services.documents.applicant_documents import NotReplaceable
from onboarding.services.documents.intake import TooManyDocuments, inspect
from onboarding.services.events import history
from onboarding.uploads import Uploads
from tests.factories import NOON, PDF, make_application, make_document, make_lead, make_owner
from tests.onboarding.services.file_stores import write

ID = LlcFileType.GOVERNMENT_IDENTIFICATION.value
LATER = NOON + timedelta(days=1)
TAKING = [status for status in Status if status.takes_documents]
CLOSED = [Status.DENIED, Status.EXPIRED, Status.WITHDRAWN]


@pytest.fixture
def sent():
    """Make a file that the applicant sends."""
    uploads = Uploads()

    def make(content=PDF, **values):
        upload = uploads.new()
        upload.write(content)
        said = {"content_type": "application/pdf", "file_name": "id.pdf", "llc_file_type": ID}
        return inspect(upload, **said | values)

    yield make
    uploads.close()


@pytest.fixture
def sole(db):
    """The application of somebody who has to show an identification."""
    return make_application(make_lead(business_type="SSN"), status=Status.IN_PROGRESS)


def add(application, *incoming, **options):
    return write(documents.add_documents, application, incoming, at=LATER, **options)


def events(application):
    return [(event.type, event.details) for event in application.lead.events.order_by("number")]


def missing(application):
    return [one.code for one in open_lead_file(application).requirements]


def test_a_file_of_the_applicant_is_on_record_as_theirs(sole, sent):
    [attached] = add(sole, sent())

    document = Document.objects.get()
    assert document == attached.document
    assert (document.supplied_by, document.llc_file_type) == (Supplier.APPLICANT, ID)
    assert (document.status, document.owner, document.uploaded_at) == (
        DocumentStatus.RECEIVED,
        None,
        LATER,
    )
    details = {"document_id": str(document.external_id), "llc_file_type": ID}
    details |= fixed_rows.fix(document)
    assert events(sole) == [(EventType.DOCUMENT_RECEIVED, details)]
    assert sole.lead.events.get().role == Role.APPLICANT
    assert "GOVERNMENT_IDENTIFICATION_MISSING" not in missing(sole)
    assert list(audit.find_faults()) == []


@pytest.mark.parametrize("status", TAKING)
def test_files_are_taken_before_the_submission_and_while_it_is_looked_at(sent, status, db):
    application = make_application(make_lead(), status=status)

    add(application, sent())

    assert application.lead.documents.count() == 1


@pytest.mark.parametrize(
    ("status", "refusal"),
    [(Status.APPROVED, CustomerAlreadyOnboarded), *((one, ApplicationClosed) for one in CLOSED)],
)
def test_nothing_is_taken_once_all_is_over(sent, status, refusal, db, stored_files):
    application = make_application(make_lead(), status=status)
    document = make_document(application.lead)
    before = stored_files()

    with pytest.raises(refusal):
        add(application, sent())
    with pytest.raises(refusal):
        write(documents.replace_document, application, document.external_id, sent(), at=LATER)

    assert application.lead.documents.get() == document
    assert stored_files() == before


def test_an_attempt_that_a_newer_one_follows_takes_nothing(sent, db):
    application = make_application(is_current=False)

    with pytest.raises(ApplicationClosed) as refused:
        add(application, sent())

    texts = [refused.value.faults[0].text(language) for language in ("en", "es")]
    assert texts == [
        "The application is closed: a newer attempt has taken its place.",
        "La solicitud está cerrada: un intento más reciente ocupó su lugar.",
    ]


def test_a_file_about_another_owner_proves_who_that_is(sole, sent):
    owner = make_owner(sole.lead)

    add(sole, sent(), owner_id=owner.external_id)

    assert Document.objects.get().owner == owner


def test_an_owner_of_another_lead_is_nobody_here(sole, sent):
    with pytest.raises(Owner.DoesNotExist):
        add(sole, sent(), owner_id=make_owner().external_id)

    assert not Document.objects.exists()


def test_what_is_there_already_is_not_stored_again(sole, sent):
    add(sole, sent())
    before = events(sole)

    [again] = add(sole, sent())

    assert again.is_duplicate
    assert Document.objects.count() == 1
    assert events(sole) == before


def test_one_file_that_shows_two_people_counts_for_each(sole, sent):
    owner = make_owner(sole.lead)
    add(sole, sent())

    [attached] = add(sole, sent(), owner_id=owner.external_id)

    assert not attached.is_duplicate
    assert set(Document.objects.values_list("owner", flat=True)) == {None, owner.pk}


def test_a_file_that_is_asked_for_again_may_be_the_same(sole, sent):
    add(sole, sent())
    later = LATER + timedelta(days=1)
    request = {
        "llc_file_type": "GOVERNMENT_IDENTIFICATION",
        "reason": "It was not readable.",
        "requested_at": later.isoformat(),
    }
    Application.objects.update(
        status=Status.DOCUMENTS_REQUIRED, status_changed_at=later, document_requests=[request]
    )

    [again] = write(documents.add_documents, sole, [sent()], at=later + timedelta(hours=1))

    assert (again.is_duplicate, again.is_renewed) == (True, True)
    assert Document.objects.count() == 1
    assert Application.objects.get().status == Status.IN_REVIEW


def test_a_file_that_could_do_harm_is_kept_apart_and_counts_for_nothing(sole, sent):
    add(sole, sent(b"<script>alert(1)</script>"))

    assert Document.objects.get().status == DocumentStatus.QUARANTINED
    assert "GOVERNMENT_IDENTIFICATION_MISSING" in missing(sole)


def test_all_files_or_none_where_there_is_no_room(sole, sent, settings, stored_files):
    settings.DOCUMENTS_MAX_PER_LEAD = 2
    make_document(sole.lead)
    before = stored_files()

    with pytest.raises(TooManyDocuments):
        add(sole, sent(), sent(file_name="b.pdf"))

    assert Document.objects.count() == 1
    assert stored_files() == before


def test_the_file_that_completes_the_list_leads_to_the_review(sole, sent):
    history.record(sole, EventType.DOCUMENTS_REQUIRED, by=history.CHECKS, at=NOON)
    type(sole).objects.filter(pk=sole.pk).update(status=Status.DOCUMENTS_REQUIRED)

    add(sole, sent(), sent(file_name="back.pdf"))

    sole.refresh_from_db()
    assert (sole.status, sole.status_changed_at) == (Status.IN_REVIEW, LATER)
    received, last, moved = sole.lead.events.order_by("number")[1:]
    assert "action" not in received.details
    assert last.details["action"] == "firstUploadDocs"
    assert (moved.type, moved.role) == (EventType.IN_REVIEW, Role.APPLICANT)
    assert list(audit.find_faults()) == []


def test_the_answer_to_who_somebody_is_leads_on(sole, sent):
    type(sole).objects.filter(pk=sole.pk).update(status=Status.ID_VERIFICATION)
    type(sole.lead).objects.filter(pk=sole.lead.pk).update(identity_status="REQUESTED")

    add(sole, sent())

    types = [event_type for event_type, _ in events(sole)]
    assert types == [
        EventType.DOCUMENT_RECEIVED,
        EventType.IDENTITY_COMPLETED,
        EventType.IN_REVIEW,
    ]


def test_a_file_that_does_not_complete_the_list_leads_nowhere(sole, sent):
    type(sole).objects.filter(pk=sole.pk).update(status=Status.DOCUMENTS_REQUIRED)

    add(sole, sent(llc_file_type=LlcFileType.UTILITY_BILL.value))

    sole.refresh_from_db()
    assert sole.status == Status.DOCUMENTS_REQUIRED


@pytest.mark.parametrize("supplier", [Supplier.APPLICANT, Supplier.PARTNER])
def test_a_new_file_takes_the_place_of_another_which_stays_on_record(sole, sent, supplier):
    owner = make_owner(sole.lead)
    old = make_document(sole.lead, llc_file_type=ID, owner=owner, supplied_by=supplier)

    [attached] = write(
        documents.replace_document, sole, old.external_id, sent(llc_file_type=""), at=LATER
    )

    old.refresh_from_db()
    new = attached.document
    assert old.status == DocumentStatus.REPLACED
    assert storages["documents"].exists(old.file.name)
    assert (new.llc_file_type, new.owner, new.supplied_by) == (ID, owner, Supplier.APPLICANT)
    ids = {"document_id": str(old.external_id), "replaced_by": str(new.external_id)}
    received, replaced = events(sole)
    assert received[0] == EventType.DOCUMENT_RECEIVED
    assert replaced == (EventType.DOCUMENT_REPLACED, ids)
    assert list(audit.find_faults()) == []


def test_what_was_replaced_counts_for_nothing(sole):
    make_document(sole.lead, llc_file_type=ID, status=DocumentStatus.REPLACED)

    assert "GOVERNMENT_IDENTIFICATION_MISSING" in missing(sole)


def test_a_file_that_cannot_be_used_takes_nobodys_place(sole, sent):
    old = make_document(sole.lead, llc_file_type=ID)

    write(documents.replace_document, sole, old.external_id, sent(b"#!/bin/sh"), at=LATER)

    old.refresh_from_db()
    assert old.status == DocumentStatus.RECEIVED
    assert Document.objects.filter(status=DocumentStatus.QUARANTINED).count() == 1


def test_the_same_file_does_not_replace_itself(sole, sent):
    [attached] = add(sole, sent())

    [again] = write(
        documents.replace_document, sole, attached.document.external_id, sent(), at=LATER
    )

    assert again.is_duplicate
    assert Document.objects.get().status == DocumentStatus.RECEIVED


def test_a_file_that_was_replaced_may_come_back(sole, sent):
    [first] = add(sole, sent())
    [second] = write(
        documents.replace_document, sole, first.document.external_id, sent(PDF + b"2"), at=LATER
    )

    write(documents.replace_document, sole, second.document.external_id, sent(), at=LATER)

    standings = Document.objects.order_by("pk").values_list("status", flat=True)
    assert list(standings) == ["REPLACED", "REPLACED", "RECEIVED"]


@pytest.mark.parametrize("status", [DocumentStatus.ACCEPTED, DocumentStatus.REPLACED])
def test_what_was_accepted_or_replaced_stays(sole, sent, status):
    old = make_document(sole.lead, status=status)

    with pytest.raises(NotReplaceable):
        write(documents.replace_document, sole, old.external_id, sent(), at=LATER)

    assert Document.objects.get().status == status


def test_a_document_whose_file_has_not_come_cannot_be_replaced(sole, sent):
    pending = Document.objects.create(
        lead=sole.lead,
        source_url="https://files.example.com/a.pdf",
        status=DocumentStatus.PENDING,
        uploaded_at=NOON,
    )

    with pytest.raises(NotReplaceable):
        write(documents.replace_document, sole, pending.external_id, sent(), at=LATER)


@pytest.mark.parametrize("make", [lambda: make_document().external_id, uuid4])
def test_only_documents_of_the_lead_can_be_replaced(sole, sent, make):
    with pytest.raises(Document.DoesNotExist):
        write(documents.replace_document, sole, make(), sent(), at=LATER)


def test_a_transaction_that_fails_leaves_no_file(sole, sent, stored_files, monkeypatch):
    old = make_document(sole.lead)
    before = stored_files()

    def fail(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(documents, "record_receipt", fail)
    with pytest.raises(KeyboardInterrupt):
        write(documents.replace_document, sole, old.external_id, sent(), at=LATER)

    assert stored_files() == before
    assert Document.objects.get().status == DocumentStatus.RECEIVED


def test_eight_uploads_at_once_are_all_there_in_one_chain(in_threads, sent):
    application = make_application(make_lead(business_type="SSN"), status=Status.IN_PROGRESS)
    files = [sent(file_name=f"{number}.pdf") for number in range(8)]

    results = in_threads(lambda one: add(application, one), files)

    assert not [result for result in results if isinstance(result, Exception)]
    assert Document.objects.count() == 8
    assert list(audit.find_faults()) == []


def test_of_uploads_at_once_one_completes_the_list(in_threads, sent):
    application = make_application(make_lead(business_type="SSN"), status=Status.DOCUMENTS_REQUIRED)
    files = [sent(file_name=f"{number}.pdf") for number in range(4)]

    results = in_threads(lambda one: add(application, one), files)

    assert not [result for result in results if isinstance(result, Exception)]
    types = [event_type for event_type, _ in events(application)]
    assert types.count(EventType.IN_REVIEW) == 1
    assert types.count(EventType.DOCUMENT_RECEIVED) == 4
    assert list(audit.find_faults()) == []


def test_of_replacements_at_once_one_takes_the_place(in_threads, sent):
    application = make_application(make_lead(business_type="SSN"), status=Status.IN_PROGRESS)
    old = make_document(application.lead, llc_file_type=ID)
    files = [sent(PDF + bytes([number])) for number in range(4)]

    results = in_threads(
        lambda one: write(documents.replace_document, application, old.external_id, one, at=LATER),
        files,
    )

    assert sum(isinstance(result, NotReplaceable) for result in results) == 3
    assert Document.objects.count() == 2
    assert Document.objects.exclude(pk=old.pk).get().status == DocumentStatus.RECEIVED
    assert list(audit.find_faults()) == []


def test_an_upload_and_a_replacement_at_once_both_count(in_threads, sent):
    application = make_application(make_lead(business_type="SSN"), status=Status.IN_PROGRESS)
    old = make_document(application.lead, llc_file_type=ID)
    calls = [
        lambda: add(application, sent(file_name="more.pdf")),
        lambda: write(documents.replace_document, application, old.external_id, sent(), at=LATER),
    ]

    results = in_threads(lambda call: call(), calls)

    assert not [result for result in results if isinstance(result, Exception)]
    standings = dict(Document.objects.values_list("file_name", "status"))
    assert standings == {old.file_name: "REPLACED", "more.pdf": "RECEIVED", "id.pdf": "RECEIVED"}
    assert list(audit.find_faults()) == []


# Proofs of identity


def prove(application, incoming, **options):
    return write(documents.add_identity_proof, application, incoming, at=LATER, **options)


def test_both_sides_of_a_card_complete_it(sole, sent):
    prove(sole, sent(PDF + b"front", side="FRONT"))
    assert "GOVERNMENT_IDENTIFICATION_MISSING" in missing(sole)

    prove(sole, sent(PDF + b"back", side="BACK"))

    assert "GOVERNMENT_IDENTIFICATION_MISSING" not in missing(sole)
    assert list(Document.objects.order_by("pk").values_list("side", flat=True)) == ["FRONT", "BACK"]


def test_a_side_that_is_sent_again_replaces_the_former_one(sole, sent):
    [first] = prove(sole, sent(PDF + b"1", side="FRONT"))
    prove(sole, sent(PDF + b"back", side="BACK"))

    [second] = prove(sole, sent(PDF + b"2", side="FRONT"))

    first.document.refresh_from_db()
    assert first.document.status == DocumentStatus.REPLACED
    assert second.document.status == DocumentStatus.RECEIVED
    assert Document.objects.exclude(status=DocumentStatus.REPLACED).count() == 2


def test_a_side_that_a_partner_sent_is_not_replaced(sole, sent):
    partners = make_document(sole.lead, llc_file_type=ID, side="FRONT")

    prove(sole, sent(side="FRONT", file_name="mine.pdf"))

    partners.refresh_from_db()
    assert partners.status == DocumentStatus.RECEIVED


def test_one_file_is_not_both_sides(sole, sent):
    prove(sole, sent(side="FRONT"))

    with pytest.raises(documents.SameAsOtherSide):
        prove(sole, sent(side="BACK", file_name="another-name.pdf"))

    assert Document.objects.count() == 1


def test_a_replacement_is_of_the_same_side(sole, sent):
    [back] = prove(sole, sent(side="BACK"))

    [new] = write(
        documents.replace_document,
        sole,
        back.document.external_id,
        sent(PDF + b"new"),
        at=LATER,
    )

    assert (new.document.side, new.document.llc_file_type) == ("BACK", ID)


def test_what_an_owner_sent_is_the_owners(sole, sent):
    owner = make_owner(sole.lead)
    [attached] = prove(sole, sent(side="FRONT"), owner_id=owner.external_id, by=Supplier.OWNER)

    document = attached.document
    assert (document.owner, document.supplied_by) == (owner, Supplier.OWNER)
    assert sole.lead.events.get().role == Role.OWNER
    with pytest.raises(NotReplaceable):
        write(documents.replace_document, sole, document.external_id, sent(PDF + b"new"), at=LATER)
    with pytest.raises(NotReplaceable):
        documents.remove_document(sole, document.external_id, at=LATER)


def test_a_card_that_is_moved_to_another_kind_has_no_side(sole, sent):
    [front] = prove(sole, sent(side="FRONT"))

    documents.move_document(sole, front.document.external_id, LlcFileType.PASSPORT, at=LATER)

    front.document.refresh_from_db()
    assert (front.document.llc_file_type, front.document.side) == ("PASSPORT", "")


def test_a_doubt_that_is_confirmed_is_on_record_and_counts(sole, sent):
    front = replace(sent(side=""), legibility_doubt="DARK")
    [attached] = prove(sole, front)
    assert "GOVERNMENT_IDENTIFICATION_MISSING" in missing(sole)

    documents.confirm_document(sole, attached.document.external_id, at=LATER)
    documents.confirm_document(sole, attached.document.external_id, at=LATER)

    assert "GOVERNMENT_IDENTIFICATION_MISSING" not in missing(sole)
    facts = {"document_id": str(attached.document.external_id), "doubt": "DARK"}
    assert [one for one in events(sole) if one[0] == EventType.DOCUMENT_CONFIRMED] == [
        (EventType.DOCUMENT_CONFIRMED, facts)
    ]
    assert list(audit.find_faults()) == []


def test_staff_who_accept_a_doubtful_document_need_no_confirmation(sole):
    make_document(sole.lead, llc_file_type=ID, doubt="DARK", status=DocumentStatus.ACCEPTED)

    assert "GOVERNMENT_IDENTIFICATION_MISSING" not in missing(sole)

"""Receipts: what is written down when documents come, whoever sent them."""

from onboarding.choices import ApplicationStatus as Status
from onboarding.event_types import EventType
from onboarding.models import Document
from onboarding.queries import audit, fixed_rows
from onboarding.services.documents.arrivals import record_receipt
from onboarding.services.documents.intake import AttachedDocument, Attachments
from onboarding.services.events.history import APPLICANT, PARTNER
from tests.factories import later, make_application, make_document, make_lead

ID = "GOVERNMENT_IDENTIFICATION"


def receive(application, *, is_duplicate=False, by=APPLICANT, **options):
    document = make_document(application.lead, llc_file_type=ID, uploaded_at=later(days=1))
    rows = [] if is_duplicate else [document]
    attachments = Attachments([AttachedDocument(document, is_duplicate=is_duplicate)], [], rows)
    record_receipt(application, attachments, by=by, at=later(days=1), **options)
    return str(document.external_id)


def events_of(application):
    events = application.lead.events.order_by("number")
    return [(event.type, event.details) for event in events]


def test_what_came_is_told_by_its_id_and_kind(db):
    application = make_application(make_lead(business_type="SSN"), status=Status.IN_PROGRESS)

    document_id = receive(application)

    details = {"document_id": document_id, "llc_file_type": ID}
    details |= fixed_rows.fix(Document.objects.get())
    assert events_of(application) == [(EventType.DOCUMENT_RECEIVED, details)]
    assert list(audit.find_faults()) == []


def test_the_last_one_that_was_missing_leads_on(db):
    application = make_application(make_lead(business_type="SSN"), status=Status.DOCUMENTS_REQUIRED)

    receive(application, by=PARTNER)

    (came, details), (moved, _) = events_of(application)
    assert (came, details["action"]) == (EventType.DOCUMENT_RECEIVED, "firstUploadDocs")
    assert (moved, application.status) == (EventType.IN_REVIEW, Status.IN_REVIEW)


def test_what_gave_way_is_told_after_what_came(db):
    application = make_application(make_lead(business_type="SSN"), status=Status.IN_PROGRESS)
    ids = {"document_id": "the old one", "replaced_by": "the new one"}

    receive(application, replacing=ids)

    assert events_of(application)[1] == (EventType.DOCUMENT_REPLACED, ids)


def test_what_is_not_new_leaves_no_trace(db):
    application = make_application(make_lead(), status=Status.IN_PROGRESS)
    before = application.lead.updated_at

    receive(application, is_duplicate=True)

    application.lead.refresh_from_db()
    assert events_of(application) == []
    assert application.lead.updated_at == before

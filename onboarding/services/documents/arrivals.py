"""Arrivals: events of received documents, and the move of an application that waited for them.

A document that waits for its first scan is sent, but not received: its event and the move follow
the scan.
"""

from collections.abc import Mapping
from datetime import datetime

from onboarding.event_types import EventType
from onboarding.models import Application, Document
from onboarding.queries import fixed_rows
from onboarding.services.applications import attempts, lifecycle
from onboarding.services.documents.intake import AttachedDocument, Attachments
from onboarding.services.events.history import AUDIT_CHAIN_FIELDS, Actor, History
from onboarding.services.notifications import notify_answer


def record_receipt(
    application: Application,
    attachments: Attachments,
    *,
    replacing: Mapping[str, str] | None = None,
    by: Actor,
    at: datetime,
) -> None:
    """Record the documents attached to a locked lead; move its application if none is missing.

    `replacing` has the ids of a replaced document and of its replacement. Duplicates add no event.
    """
    lead = application.lead
    history = History(lead, by=by, at=at)
    target = attempts.next_status(application)
    note_documents(history, application, attachments, is_complete=bool(target))
    if replacing:
        history.add(EventType.DOCUMENT_REPLACED, application, **replacing)
    if attachments.are_new:
        lead.save(update_fields=[*AUDIT_CHAIN_FIELDS, "updated_at"])
        history.save()
    if target:
        lifecycle.move(application, target, by=by, at=at)


def record_scanned(
    application: Application, document: Document, *, by: Actor, at: datetime
) -> None:
    """Record the receipt of a document whose first scan has ended; the lead is locked.

    Moves the application if no document is missing any more. The lead's `updated_at` is not
    changed: the applicant may be signing the version that it identifies.
    """
    history = History(application.lead, by=by, at=at)
    target = attempts.next_status(application)
    scanned = Attachments([AttachedDocument(document, is_duplicate=False)], [], [document])
    note_documents(history, application, scanned, is_complete=bool(target))
    history.save_with_lead()
    if target:
        lifecycle.move(application, target, by=by, at=at)


def note_documents(
    history: History, application: Application, attachments: Attachments, *, is_complete: bool
) -> None:
    """Add an unsaved event to `history` for each file received, and notify the case's assignee.

    If `is_complete`, the last event says that all documents have arrived. Duplicates, and files
    that wait for their first scan, get no event.
    """
    received = [document for document in attachments.received if not document.awaits_receipt]
    completing = EventType.DOCUMENT_RECEIVED.spec.other_action
    for place, document in enumerate(received, 1):
        completes = {"action": completing} if is_complete and place == len(received) else {}
        history.add(
            EventType.DOCUMENT_RECEIVED,
            application,
            document_id=str(document.external_id),
            llc_file_type=document.llc_file_type,
            **completes,
            **fixed_rows.fix(document),
        )
    if received and application.assignee_id:
        notify_answer(application, at=history.at)

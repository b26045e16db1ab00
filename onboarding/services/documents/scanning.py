"""Scanning: the first malware scan of each new file, by workers, and the effects of a verdict."""

import logging
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import QuerySet

from foundation.scanning.clamd import ScanFailed
from foundation.scanning.stored_files import Verdict, get_verdict, is_scanned
from onboarding.choices import DocumentStatus, Role
from onboarding.event_types import EventType
from onboarding.models import Application, Document
from onboarding.models.documents import IS_UNSCANNED
from onboarding.queries.leads import lock_application
from onboarding.services.documents import arrivals
from onboarding.services.events import history
from onboarding.services.events.history import CHECKS, Actor

logger = logging.getLogger(__name__)
DISPATCH_TIMEOUT = timedelta(minutes=1)  # until a lost message is sent again
LEASE = timedelta(minutes=5)  # longer than both commands of a scan, see `Clamd.seconds`
FIRST_WAIT = timedelta(seconds=5)  # after the first failure; doubled after each further failure
LONGEST_WAIT = timedelta(minutes=10)
FIELDS: Final = [
    "status",
    "status_reason",
    "scan_due_at",
    "scanned_at",
    "scanned_with",
    "malware",
]


def dispatch(*, at: datetime, limit: int) -> list[tuple[int, int]]:
    """Return primary key and attempts of documents due for their first scan, the longest due first.

    The caller sends workers a message about each, to call `scan`. A document is due again after
    DISPATCH_TIMEOUT, in case the message is lost; dispatched twice, it is scanned once. Without a
    scanner nothing is returned: the files wait, and nobody may open them unscanned.
    """
    if not is_scanned():
        return []
    due = Document.objects.filter(scan_due_at__lte=at)
    order = due.order_by("scan_due_at", "pk")
    found = list(order.values_list("pk", "scan_attempts")[:limit])
    if found:
        due.filter(pk__in=[pk for pk, _ in found]).update(scan_due_at=at + DISPATCH_TIMEOUT)
    return found


def scan(pk: int, *, attempt: int, at: datetime) -> None:
    """Scan a dispatched document, unless its number of attempts is not `attempt` any more.

    A PENDING document becomes RECEIVED, with the events of its receipt, or QUARANTINED; others
    keep their status unless malware is found. After a failure the file is due again, later each
    time and without end.
    """
    document = _claim(pk, attempt, at)
    if document is None:
        return
    try:
        verdict = get_verdict(document.open_file)
    except ScanFailed as failed:
        logger.warning("the scan of document %s failed: %s", document.external_id, failed)
        wait = min(FIRST_WAIT * 2 ** min(attempt, 10), LONGEST_WAIT)
        _ours(document).update(scan_due_at=at + wait)
        waiting = _ours(document).filter(status=DocumentStatus.PENDING)
        waiting.update(status_reason=f"Not scanned yet: {failed}"[:255])
        return
    settle(_ours(document), verdict, at=at)


def settle(rows: QuerySet[Document], verdict: Verdict, *, at: datetime) -> None:
    """Save a verdict about the document in `rows`, and record the events that follow.

    Does nothing if `rows` is empty by now: the document was erased, or scanned by another worker.
    """
    with transaction.atomic():
        lead = rows.values_list("lead", flat=True).first()
        application = lock_application(lead=lead) if lead else None
        document = rows.first()
        if application is None or document is None:
            return
        document.lead = application.lead
        awaited_receipt = document.awaits_receipt
        _apply(document, verdict, at)
        if awaited_receipt:
            by = Actor(Role(document.supplied_by))
            arrivals.record_scanned(application, document, by=by, at=at)
        if verdict.malware:
            _record_malware(application, document, at)


def _apply(document: Document, verdict: Verdict, at: datetime) -> None:
    """Change and save the columns that follow from a verdict."""
    if document.awaits_receipt:
        document.status, document.status_reason = DocumentStatus.RECEIVED, ""
    if verdict.malware:
        document.malware = verdict.malware[:255]
        if document.status != DocumentStatus.REPLACED:
            document.status = DocumentStatus.QUARANTINED
        document.status_reason = f"Malware: {verdict.malware}"[:255]
    document.scan_due_at, document.scanned_at = None, at
    document.scanned_with = verdict.version[:100]
    document.save(update_fields=FIELDS)


def _record_malware(application: Application, document: Document, at: datetime) -> None:
    logger.error("malware in document %s: %s", document.external_id, document.malware)
    history.record(
        application,
        EventType.MALWARE_FOUND,
        by=CHECKS,
        at=at,
        document_id=str(document.external_id),
        llc_file_type=str(document.llc_file_type),
        malware=document.malware,
    )


def _claim(pk: int, attempt: int, at: datetime) -> Document | None:
    """Claim a document for LEASE; None if it is scanned, or the attempt was claimed already."""
    free = Document.objects.filter(IS_UNSCANNED, pk=pk, scan_attempts=attempt)
    if not free.update(scan_attempts=attempt + 1, scan_due_at=at + LEASE):
        return None
    return Document.objects.filter(IS_UNSCANNED, pk=pk, scan_attempts=attempt + 1).first()


def _ours(document: Document) -> QuerySet[Document]:
    """Return a queryset of the document; empty once it is scanned or another attempt has begun."""
    mine = Document.objects.filter(pk=document.pk, scan_attempts=document.scan_attempts)
    return mine.filter(IS_UNSCANNED)

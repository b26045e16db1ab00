"""Rescans: scans of files that were clean, after the scanner has loaded newer signatures."""

import logging
from collections.abc import Callable, Iterator
from datetime import datetime

from django.conf import settings
from django.db.models import F, Q, QuerySet

from foundation.scanning.clamd import Clamd, ScanFailed
from onboarding.models import Document
from onboarding.models.documents import HAS_FILE
from onboarding.services.documents import scanning

logger = logging.getLogger(__name__)
BATCH_SIZE = 1000  # files of one run


def count_outdated(version: str) -> int:
    """Return the number of files that were not scanned with these signatures yet."""
    return _outdated(version).count()


def ask_version() -> str:
    """Return the version of the scanner and its signatures. Raises: ScanFailed."""
    return Clamd(settings.CLAMD_ADDRESS).ask_version()


def rescan_outdated(
    version: str, *, at: datetime, until: Callable[[], bool] = lambda: False
) -> Iterator[str]:
    """Scan files with these signatures until `until` returns true, the longest unscanned first.

    Yields a fault for each file; it is empty if the file has a verdict. Files from before there was
    a scanner come first. A file without a verdict is tried again by the next call, after the
    others.
    """
    order = F("scanned_at").asc(nulls_first=True)
    files = _outdated(version).order_by(order, "pk").values_list("pk", flat=True)
    for pk in list(files[:BATCH_SIZE]):
        if until():
            return
        rows = _outdated(version).filter(pk=pk)
        if document := rows.first():  # else it was erased, or scanned by another worker
            yield _rescan(document, rows, version, at)


def _rescan(document: Document, rows: QuerySet[Document], version: str, at: datetime) -> str:
    try:
        verdict = scanning.get_verdict(document, version=version)
    except ScanFailed as failed:
        logger.warning("the rescan of document %s failed: %s", document.external_id, failed)
        rows.update(scanned_at=at)
        return str(failed)
    scanning.settle(rows, verdict, at=at)
    return ""


def _outdated(version: str) -> QuerySet[Document]:
    """Return the clean files with another scan; two ranges of versions, so that an index helps."""
    another = Q(scanned_with__lt=version) | Q(scanned_with__gt=version)
    return Document.objects.filter(another, HAS_FILE, scan_due_at=None, malware="")

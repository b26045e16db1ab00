"""Rescans: scans of files that were clean, after the scanner has loaded newer signatures."""

from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial

from django.db.models import QuerySet

from foundation.scanning.stored_files import list_outdated, scan_outdated
from onboarding.models import Document
from onboarding.models.documents import HAS_FILE
from onboarding.services.documents import scanning


def count_outdated(version: str) -> int:
    """Return the number of files to scan again, as another version than `version` scanned them.

    Files with malware are left out.
    """
    return list_outdated(_rows(), version).count()


def rescan_outdated(
    version: str, *, at: datetime, until: Callable[[], bool] = lambda: False
) -> Iterator[str]:
    """Scan files that the scanner of `version` has not scanned, until `until` returns true.

    Works while the result is iterated, a bounded number of files per call. Yields a text for each
    file: the reason why it has no verdict, empty if it has one.
    """
    settle = partial(scanning.settle, at=at)
    return scan_outdated(_rows(), version, settle, at=at, until=until)


def _rows() -> QuerySet[Document]:
    """Return the files that have had their first scan, or came before there was a scanner."""
    return Document.objects.filter(HAS_FILE, scan_due_at=None)

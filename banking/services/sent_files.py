"""Files that came from outside: deleted with their rows, and scanned for malware."""

import logging
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from itertools import chain
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from banking.models import BillAttachment, ReceiptFile
from banking.models.stored_files import SentFile, file_storage, store
from banking.services import stores
from foundation.files import Download
from foundation.scanning.stored_files import Verdict, is_scanned, list_outdated, scan_outdated

logger = logging.getLogger(__name__)
MODELS: tuple[type[SentFile], ...] = (BillAttachment, ReceiptFile)


def set_file(row: SentFile, download: Download, *, owner: str, at: datetime) -> None:
    """Store a file for `owner` alone, and set the file columns of an unsaved row.

    `owner` is a text that no other row has: the file can then be deleted with the row. The file
    awaits its first scan if there is a scanner.
    """
    unscanned = {"scanned_at": None, "scanned_with": "", "malware": ""}
    waiting = {"awaits_scan_since": at if is_scanned() else None}
    columns = store(download, owner=owner) | unscanned | waiting
    for name, value in columns.items():
        setattr(row, name, value)


def list_waiting() -> "list[QuerySet[Any]]":
    """Return the files that wait for their first scan, a queryset of each model."""
    return [QuerySet(model).filter(awaits_scan_since__isnull=False) for model in MODELS]


def list_infected(*, since: datetime) -> "list[QuerySet[Any]]":
    """Return the files with malware that were last scanned at `since` or later, by model."""
    return [QuerySet(model).filter(scanned_at__gte=since).exclude(malware="") for model in MODELS]


def delete_after_commit(model: type[SentFile], name: str) -> None:
    """Delete a file that its row no longer has, once the transaction is committed.

    A file that other rows name, as older rows may, stays until the last of them is deleted.
    """
    transaction.on_commit(partial(_delete, model, name), robust=True)


def scan_files(
    version: str, *, at: datetime, until: Callable[[], bool] = lambda: False
) -> Iterator[str]:
    """Scan new files, and clean files again with newer signatures; yield a fault for each file.

    `version` is that of the scanner and its signatures. The fault is empty if the file was scanned.
    Stops at a limited number of files per model, or once `until` returns true.
    """
    yield from chain.from_iterable(
        scan_outdated(QuerySet(model), version, partial(_settle, at=at), at=at, until=until)
        for model in MODELS
    )


def count_outdated(version: str) -> int:
    """Return the number of files without malware that no scanner of this version has scanned."""
    return sum(list_outdated(QuerySet(model), version).count() for model in MODELS)


def _settle(rows: "QuerySet[Any]", verdict: Verdict, *, at: datetime) -> None:
    if verdict.malware:
        logger.error("malware in %s: %s", rows.first(), verdict.malware)
    rows.update(
        awaits_scan_since=None,
        scanned_at=at,
        scanned_with=verdict.version[:100],
        malware=verdict.malware[:255],
    )


def _delete(model: type[SentFile], name: str) -> None:
    if not QuerySet(model).filter(file=name).exists():
        stores.require_own()  # a restored copy would delete files of production
        file_storage().delete(name)

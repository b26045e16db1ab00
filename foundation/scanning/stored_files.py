"""Malware scans of stored files: verdicts, and rows whose files need a scan.

The models have the columns `file`, `scanned_at`, `scanned_with` and `malware`, and `open_file()`.
"""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.conf import settings
from django.core.files import File
from django.db.models import F, Model, Q, QuerySet

from foundation.scanning.clamd import Clamd, ScanFailed

logger = logging.getLogger(__name__)
BATCH_SIZE = 1000  # files of one run
PIECE_BYTES: Final = 64 * 1024


@dataclass(frozen=True)
class Verdict:
    """The result of a scan: the name of the malware, empty if none was found.

    `version` names the clamd and the signatures that scanned.
    """

    malware: str
    version: str


def is_scanned() -> bool:
    """Return whether the settings name a scanner, so that new files are scanned for malware."""
    return bool(settings.SCANNER != "none")


def ask_version() -> str:
    """Return the version of the scanner and its signatures. Raises: ScanFailed."""
    return Clamd(settings.CLAMD_ADDRESS).ask_version()


def get_verdict(open_file: "Callable[[], File[bytes]]", *, version: str = "") -> Verdict:
    """Scan a file and return the verdict; `version` is that of the scanner, if it is known.

    Else the version is asked before the scan, so that a file is scanned again after new signatures.
    Raises: ScanFailed.
    """
    version = version or ask_version()
    return Verdict(Clamd(settings.CLAMD_ADDRESS).scan(_pieces(open_file)), version)


def scan_outdated(
    rows: "QuerySet[Any]",
    version: str,
    settle: "Callable[[QuerySet[Any], Verdict], None]",
    *,
    at: datetime,
    until: Callable[[], bool] = lambda: False,
) -> Iterator[str]:
    """Scan at most BATCH_SIZE outdated files, or until `until` returns true.

    `version` is that of the scanner now. `settle` saves the verdict about the row of a queryset,
    which is empty if the row was scanned or deleted meanwhile. Yields a fault for each file; it is
    empty if the file has a verdict. Files that were never scanned come first, then the longest
    unscanned. A file without a verdict is tried again by the next call, after the others.
    """
    outdated = list_outdated(rows, version)
    order = F("scanned_at").asc(nulls_first=True)
    for pk in list(outdated.order_by(order, "pk").values_list("pk", flat=True)[:BATCH_SIZE]):
        if until():
            return
        found = outdated.filter(pk=pk)
        if row := found.first():
            yield _scan(row, found.filter(file=row.file.name), version, settle, at)


def list_outdated(rows: "QuerySet[Any]", version: str) -> "QuerySet[Any]":
    """Return the rows without malware that this version of the scanner has not scanned."""
    # Two ranges, so that the database can use an index.
    another = Q(scanned_with__lt=version) | Q(scanned_with__gt=version)
    return rows.filter(another, malware="")


def _scan(
    row: Model,
    rows: "QuerySet[Any]",
    version: str,
    settle: "Callable[[QuerySet[Any], Verdict], None]",
    at: datetime,
) -> str:
    try:
        verdict = get_verdict(row.open_file, version=version)  # type: ignore[attr-defined]  # see above
    except ScanFailed as failed:
        logger.warning("the scan of %s failed: %s", row, failed)
        rows.update(scanned_at=at)
        return str(failed)
    settle(rows, verdict)
    return ""


def _pieces(open_file: "Callable[[], File[bytes]]") -> Iterator[bytes]:
    """Yield the content of a stored file. Raises: ScanFailed if it cannot be read."""
    try:
        with open_file() as content:
            yield from content.chunks(PIECE_BYTES)
    except (GeneratorExit, ScanFailed):
        raise
    except Exception as exc:  # the errors of stores share no base class
        logger.exception("a stored file cannot be read")
        raise ScanFailed("the stored file cannot be read") from exc

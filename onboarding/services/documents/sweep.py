"""Sweep: removal of files without a row, and restoring of files that documents lack."""

from collections.abc import Container, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.core.files.storage import storages

from banking.services import stores
from foundation.jobs.registry import Incomplete
from foundation.privacy import file_rotation
from foundation.privacy.encrypted_storage import walk
from onboarding.models import Document
from onboarding.services.documents import quarantine
from onboarding.services.documents.file_store import FOLDER, list_without_row

ORPHANS_MAX, ORPHANS_MAX_PERCENT = 100, 1  # files without a row that are moved unconfirmed


class TooManyOrphans(Incomplete):
    """So many files have no row that the sweep may be running on a wrong database."""


@dataclass(frozen=True)
class SweepReport:
    """The plan and result of a sweep: files without a row, stale uploads, documents without file.

    `put_back` has the files to restore from quarantine, `purged` the files to delete from it,
    `file_count` the number of files outside quarantine.
    """

    orphans: list[str]
    stale_uploads: list[str]
    missing: list[UUID]
    put_back: list[str] = field(default_factory=list)
    purged: list[str] = field(default_factory=list)
    file_count: int = field(default=0, compare=False)

    @property
    def outcome(self) -> str:
        """Return a description of the sweep in the past tense."""
        return (
            f"moved {len(self.orphans)} files without a row to quarantine, "
            f"put {len(self.put_back)} back, deleted {len(self.purged)} from it "
            f"and {len(self.stale_uploads)} stale uploads"
        )

    @property
    def doubt(self) -> str:
        """Return why an operator must confirm the sweep: too many files without a row; else empty.

        Too many are more than ORPHANS_MAX files, or more than ORPHANS_MAX_PERCENT of all files.
        """
        count = len(self.orphans)
        if count <= ORPHANS_MAX and count * 100 <= ORPHANS_MAX_PERCENT * self.file_count:
            return ""
        return (
            f"{count} of {self.file_count} files have no row, more than {ORPHANS_MAX_PERCENT} % or "
            f"{ORPHANS_MAX}: is this the database of the store? `manage.py sweep_documents "
            "--dry-run` names them, --yes moves them."
        )


def sweep_files(
    *, before: datetime, dry_run: bool = False, is_confirmed: bool = False
) -> SweepReport:
    """Move files without a row to quarantine, delete stale uploads, both older than `before`.

    Copies that an interrupted change of keys left are deleted, too. Only a sweep removes the files
    of processes that died. Younger files may belong to running requests. A file that a document
    lacks is restored from quarantine, or else the document is reported. Files that were put in
    quarantine more than ORPHANS_KEPT_FOR before `before` are deleted. With `dry_run` nothing is
    changed.
    Raises, before any change and not with `dry_run`: StoreOfAnother if the store belongs to another
    deployment; TooManyOrphans unless `is_confirmed`.
    """
    if not dry_run:
        stores.require_own()
    report = _report(before)
    if dry_run:
        return report
    if report.doubt and not is_confirmed:
        raise TooManyOrphans(report.doubt)
    for name in report.put_back:
        quarantine.put_back(name)
    for name in report.purged:
        storages["documents"].delete(name)
    for name in report.orphans:
        quarantine.put_in(name)
    _delete_stale(report.stale_uploads, before)
    return report


def _report(before: datetime) -> SweepReport:
    """Find the files and documents that a sweep would change."""
    stored = dict.fromkeys(walk(storages["documents"], FOLDER))
    without_file = list(_documents_without_file(stored))
    put_back = [name for _, name in without_file if quarantine.holds(name)]
    old = quarantine.list_old(before=before - settings.ORPHANS_KEPT_FOR)
    wanted = {f"{quarantine.FOLDER}/{name}" for name in put_back}
    return SweepReport(
        orphans=list(_old_orphans(stored, before)),
        stale_uploads=list(_stale_uploads(before)),
        missing=[key for key, name in without_file if name not in put_back],
        put_back=put_back,
        purged=[name for name in old if name not in wanted],
        file_count=len(stored),
    )


def _old_orphans(stored: Iterable[str], before: datetime) -> Iterator[str]:
    return (name for name in list_without_row(stored) if quarantine.is_older(name, before))


def _stale_uploads(before: datetime) -> Iterator[str]:
    for path in settings.DOCUMENT_SPOOL.glob("upload-*"):
        with suppress(FileNotFoundError):  # the request has ended
            if path.stat().st_mtime < before.timestamp():
                yield path.name


def _delete_stale(uploads: Iterable[str], before: datetime) -> None:
    """Delete stale uploads, and the copies that interrupted changes of keys left."""
    for upload in uploads:
        (settings.DOCUMENT_SPOOL / upload).unlink(missing_ok=True)
    for storage in file_rotation.encrypted_storages():
        file_rotation.remove_parts(storage, before=before)


def _documents_without_file(stored: Container[str]) -> Iterator[tuple[UUID, str]]:
    """Yield id and file name of documents whose file is missing.

    The store is asked only for files that were not listed: they may have arrived meanwhile.
    """
    documents = Document.objects.exclude(file="").order_by("pk")
    for external_id, name in documents.values_list("external_id", "file").iterator():
        if name not in stored and not storages["documents"].exists(name):
            yield external_id, name

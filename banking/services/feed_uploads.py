"""Uploads of the record feed: files that one administrator previews and a second one confirms."""

import zlib
from collections import Counter, defaultdict
from datetime import datetime, timedelta
from itertools import islice
from typing import IO, Any, Final

import orjson
from django.core.files.base import ContentFile
from django.db import transaction

from banking.choices import FeedResult, FeedSource, StaffChangeStatus
from banking.errors import StepRefused
from banking.feed import batches
from banking.feed.files import digest_of, lines_of
from banking.feed.lines import Outcome, RawLine, Terms
from banking.models import FeedBatch, FeedRecord, FeedUpload, StaffChange, User
from banking.models.stored_files import file_storage, old_files
from banking.services import staff_changes, staff_history, stores
from banking.services.staff_changes import Kind

MAX_BYTES: Final = 2 * 1024**2
MAX_LINES: Final = 1_000  # in one transaction, while other requests wait for its locks
LIFETIME: Final = timedelta(days=7)
FOLDER: Final = "feed-uploads"
CHANGES: Final = {FeedResult.CREATED, FeedResult.UPDATED, FeedResult.REMOVED}


class Unsuitable(Exception):
    """The file has no lines, or more than can be uploaded."""


class UploadEnded(StepRefused):
    """The records were stored, or the file was deleted."""

    message = "The records of this file were stored already, or the file was deleted."


class AlreadyProposed(StepRefused):
    """A proposal to store the records is open."""

    message = "It is proposed already, and waits for a second administrator."


class NothingToStore(StepRefused):
    """No line of the file would change a record."""

    message = "No line of this file would change a record."


class PreviewOutdated(StepRefused):
    """The lines would have other results than those of the preview."""

    message = (
        "Records have changed since the preview. Nothing was stored. Look at the new preview "
        "before you propose it again."
    )


class ResultsDiffer(StepRefused):
    """The lines had other results than those of the preview, and were rolled back."""

    message = (
        "Records have changed since the preview. Nothing was stored. Reject this proposal; the "
        "file can then be proposed again with a new preview."
    )


def try_out(stream: IO[bytes], name: str, kind: str, *, at: datetime) -> list[Outcome]:
    """Return the outcomes that the lines of a file would have; each `id` is None.

    The lines are taken in a transaction that is rolled back.
    Raises: csv_files.Unreadable, Unsuitable.
    """
    lines = _lines(stream, name, kind)
    with transaction.atomic():
        batch = FeedBatch.objects.create(source=FeedSource.UPLOAD, started_at=at)
        outcomes = _run(lines, batch, kind, at=at)
        transaction.set_rollback(True)
    return outcomes


@transaction.atomic
def keep(
    content: bytes, name: str, kind: str, outcomes: list[Outcome], *, by: User, at: datetime
) -> FeedUpload:
    """Store a file for LIFETIME, and as its preview the outcomes that `try_out` has returned."""
    upload = FeedUpload(
        file_name=name[-100:],
        file_digest=digest_of(ContentFile(content)),
        kind=kind,
        uploaded_by=by,
        uploaded_at=at,
        kept_until=at + LIFETIME,
    )
    _set_preview(upload, outcomes)
    upload.file = file_storage().save(f"{FOLDER}/{upload.external_id}", ContentFile(content))
    upload.save(force_insert=True)
    return upload


def propose(upload: FeedUpload, *, by: User, at: datetime) -> StaffChange:
    """Propose to store the records of an upload, if a new trial has the results of its preview.

    Otherwise stores the results of the trial as the preview, and raises PreviewOutdated.
    Raises: UploadEnded, AlreadyProposed, NothingToStore, PreviewOutdated, AccountTooNew.
    """
    with transaction.atomic():
        locked = _lock(upload, at=at)
        if locked.change and locked.change.status == StaffChangeStatus.OPEN:
            raise AlreadyProposed
        with locked.open_file() as stream:
            outcomes = try_out(stream, locked.file_name, locked.kind, at=at)
        is_outdated = batches.serialize(outcomes) != read_results(locked)
        if is_outdated:
            _set_preview(locked, outcomes)
        elif not any(outcome.result in CHANGES for outcome in outcomes):
            raise NothingToStore
        else:
            payload, summary = {"upload": locked.pk}, _summary(locked)
            locked.change = staff_changes.propose(
                KIND, payload=payload, summary=summary, by=by, at=at
            )
        locked.save(update_fields=["counts", "results", "change"])
    if is_outdated:
        raise PreviewOutdated
    assert locked.change is not None  # noqa: S101 - the block above set it
    return locked.change


@transaction.atomic
def discard(upload: FeedUpload, *, at: datetime) -> None:
    """End an upload: `delete_files` deletes its file, and an open proposal of it becomes void.

    Raises: UploadEnded.
    """
    locked = _lock(upload, at=at)
    locked.kept_until = at
    locked.save(update_fields=["kept_until"])


def delete_files(*, at: datetime) -> int:
    """Delete the files of uploads that have ended, and return their number.

    Includes files whose rows were never committed. Raises: StoreOfAnother.
    """
    ended = FeedUpload.objects.exclude(file="").filter(kept_until__lte=at)
    names = {*ended.values_list("file", flat=True), *old_files(FOLDER, before=at - 2 * LIFETIME)}
    if names:
        stores.require_own()  # a restored copy would delete files of production
    for name in names:
        file_storage().delete(name)
    FeedUpload.objects.filter(file__in=names).update(file="")
    return len(names)


def read_results(upload: FeedUpload) -> bytes:
    """Return the results of the preview as NDJSON."""
    return zlib.decompress(upload.results)


def _lines(stream: IO[bytes], name: str, kind: str) -> list[RawLine]:
    lines = list(islice(lines_of(stream, name, kind), MAX_LINES + 1))
    if len(lines) > MAX_LINES:
        raise Unsuitable(
            f"The file has more than {MAX_LINES:,} lines. Send it with manage.py feed."
        )
    if not lines:
        raise Unsuitable("The file has no records.")
    return lines


def _run(lines: list[RawLine], batch: FeedBatch, kind: str, *, at: datetime) -> list[Outcome]:
    outcomes = list(batches.run(lines, batch=batch, terms=Terms(kind=kind), clock=lambda: at))
    for outcome in outcomes:
        outcome.id = None  # the UUID of a new record is another one each time
    return outcomes


def _set_preview(upload: FeedUpload, outcomes: list[Outcome]) -> None:
    upload.counts = dict(Counter(outcome.result.value for outcome in outcomes))
    upload.results = batches.compress(outcomes)


def _lock(upload: FeedUpload, *, at: datetime) -> FeedUpload:
    """Lock an open upload, and before it the staff history. Raises: UploadEnded."""
    staff_history.lock()
    rows = FeedUpload.objects.select_for_update(of=("self",)).select_related("change")
    locked = rows.get(pk=upload.pk)
    if not locked.is_open(at=at):
        raise UploadEnded
    return locked


def _summary(upload: FeedUpload) -> list[str]:
    counts = ", ".join(f"{count:,} {result}" for result, count in sorted(upload.counts.items()))
    return [
        f"Store the records of {upload.file_name} ({upload.kind or 'several kinds'}): {counts}.",
        f"SHA-256 of the file: {upload.file_digest}",
        f"Batch: {upload.external_id}",
    ]


def _basis(change: StaffChange) -> Any:
    """Return the file's SHA-256, its preview, and the stored versions of the records that it names.

    A change of any voids the proposal. None if the file was deleted or its records were stored.
    """
    upload = _row(change)
    upload.refresh_from_db()
    if not upload.file or upload.batch_id:
        return None
    with upload.file.open("rb") as stream:
        digest = digest_of(stream)
    results = read_results(upload)
    ids = defaultdict(list)
    for outcome in map(orjson.loads, results.splitlines()):
        ids[outcome["kind"] or ""].append(outcome["externalId"] or "")
    stored = [
        list(row)
        for kind in sorted(ids)
        for row in FeedRecord.objects.filter(kind=kind, external_id__in=ids[kind])
        .order_by("pk")
        .values_list("pk", "version", "digest")
    ]
    return [digest, results.decode(), stored, upload.kept_until.isoformat()]


def _carry_out(change: StaffChange) -> None:
    """Store the records, exactly as the preview says. Raises: ResultsDiffer."""
    upload = _row(change)
    upload.refresh_from_db()
    assert change.settled_at is not None  # noqa: S101 - the change is confirmed
    at = change.settled_at
    upload.batch = FeedBatch.objects.create(
        external_id=upload.external_id,
        source=FeedSource.UPLOAD,
        sender=upload.file_name,
        sent_by=change.proposed_by,
        kind=upload.kind,
        file_digest=upload.file_digest,
        started_at=at,
    )
    with upload.open_file() as stream:
        lines = _lines(stream, upload.file_name, upload.kind)
        outcomes = _run(lines, upload.batch, upload.kind, at=at)
    if batches.serialize(outcomes) != read_results(upload):
        raise ResultsDiffer
    upload.kept_until = at
    upload.save(update_fields=["batch", "kept_until"])


def _row(change: StaffChange) -> FeedUpload:
    return FeedUpload(pk=change.payload["upload"])


KIND = staff_changes.register(
    Kind("FEED_UPLOAD", "Records from a file", _basis, _carry_out, row=_row)
)

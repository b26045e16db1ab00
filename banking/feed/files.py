"""Files of feed lines, NDJSON or CSV: store the lines of a file, or do a dry run.

An interrupted run is continued when the same file is stored again.
"""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from datetime import datetime
from pathlib import Path
from typing import IO

from django.db import transaction

from banking.choices import FeedSource
from banking.feed import batches, csv_files
from banking.feed.lines import Outcome, RawLine, Terms, read_lines
from banking.models.feed import FeedBatch

PIECE_BYTES = 1024 * 1024


def take_file(
    path: Path, *, terms: Terms, clock: Callable[[], datetime], dry_run: bool = False
) -> Iterator[tuple[FeedBatch, Outcome]]:
    """Store the lines of a file and yield the outcome of each line, with the batch of the run.

    An interrupted run of the same file and kind is continued: the lines that it stored are left
    out. Atomic batches and dry runs begin anew. A file whose name ends with `.csv` has rows of the
    kind that the terms name. A dry run is one transaction that is rolled back.

    Raises: OSError, csv_files.Unreadable.
    """
    with path.open("rb") as stream, transaction.atomic() if dry_run else nullcontext():
        batch = _begin(path, digest_of(stream), terms, at=clock(), dry_run=dry_run)
        lines = lines_of(stream, path.name, terms.kind, after=batch.offset_bytes)
        for outcome in batches.run(lines, batch=batch, terms=terms, clock=clock):
            yield batch, outcome
        if dry_run:
            transaction.set_rollback(True)


def is_csv(name: str) -> bool:
    """Return whether a file of this name is read as CSV."""
    return name.lower().endswith(".csv")


def lines_of(stream: IO[bytes], name: str, kind: str, *, after: int = 0) -> Iterator[RawLine]:
    """Yield the lines of a file that begin at byte `after` or later, of CSV if the name says so.

    Raises: csv_files.Unreadable.
    """
    if is_csv(name):
        return csv_files.read_rows(stream, kind, after=after)
    return read_lines(stream, number=_skip(stream, after), end=after)


def digest_of(stream: IO[bytes]) -> str:
    """Return the SHA-256 of a file in hexadecimal digits, and move the stream to its beginning."""
    digest = hashlib.sha256()
    while piece := stream.read(PIECE_BYTES):
        digest.update(piece)
    stream.seek(0)
    return digest.hexdigest()


def _begin(path: Path, digest: str, terms: Terms, *, at: datetime, dry_run: bool) -> FeedBatch:
    """Return the batch of an unfinished run of the same file and kind, else a new batch.

    Atomic batches and dry runs always begin anew.
    """
    unfinished = FeedBatch.objects.filter(
        source=FeedSource.COMMAND,
        kind=terms.kind,
        file_digest=digest,
        finished_at=None,
        is_atomic=False,
    )
    if not (dry_run or terms.is_atomic) and (batch := unfinished.order_by("-pk").first()):
        return batch
    return FeedBatch.objects.create(
        source=FeedSource.COMMAND,
        sender=path.name[:100],
        kind=terms.kind,
        is_atomic=terms.is_atomic,
        file_digest=digest,
        started_at=at,
    )


def _skip(stream: IO[bytes], end: int) -> int:
    """Move a stream from its beginning to byte `end`; return the number of the next line."""
    number, left = 1, end
    while left and (piece := stream.read(min(PIECE_BYTES, left))):
        left -= len(piece)
        number += piece.count(b"\n")
    return number

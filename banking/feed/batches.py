"""Batches of feed lines: store the lines in chunks, a transaction each, with a result per line."""

import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import chain
from typing import Any

import orjson
from django.conf import settings
from django.db import DataError, IntegrityError, connection, transaction

from banking.choices import FeedResult
from banking.feed import waiting, writing
from banking.feed.faults import Fault, FaultCode, Refused, fault
from banking.feed.lines import Line, Outcome, RawLine, Terms, parse
from banking.feed.waiting import Missing
from banking.models.feed import FeedBatch, FeedChunk, FeedInboxLine
from foundation.database.retries import retry_on_deadlock

Parsed = Line | Outcome
CHUNK_BYTES = 4 * 1024**2  # of lines with files in one transaction
ATOMIC_BYTES = 64 * 1024**2
REFUSALS = (IntegrityError, DataError, Refused)
CONSTRAINT_OF_SQLITE = re.compile(r"constraint failed: (?:index ')?([\w., ]+)'?$")  # or its columns
BROKEN_RULE = "This contradicts another record or a rule of the table."


class RolledBack(Exception):
    """A line of an atomic batch was refused."""


def run(
    lines: Iterable[RawLine], *, batch: FeedBatch, terms: Terms, clock: Callable[[], datetime]
) -> Iterator[Outcome]:
    """Store the lines of a batch and yield the outcome of each line.

    The lines are stored in chunks, a transaction each, whose outcomes are yielded after the commit;
    of an atomic batch all lines are stored, or none. The caller has saved the batch.
    """
    return chain.from_iterable(run_chunks(lines, batch=batch, terms=terms, clock=clock))


def run_chunks(
    lines: Iterable[RawLine], *, batch: FeedBatch, terms: Terms, clock: Callable[[], datetime]
) -> Iterator[list[Outcome]]:
    """Store the lines of a batch and yield the outcomes of each chunk, after its transaction.

    A chunk ends after FEED_CHUNK_LINES lines or CHUNK_BYTES; an atomic batch is one chunk of at
    most FEED_ATOMIC_LINES lines and ATOMIC_BYTES. All lines of an atomic batch are refused if the
    batch is longer or if one of its lines is refused. The caller has saved the batch: its counts
    and its offset are saved with each chunk, and `finished_at` at the end.
    """
    rest = iter(lines)
    most = settings.FEED_ATOMIC_LINES if terms.is_atomic else settings.FEED_CHUNK_LINES
    most_bytes = ATOMIC_BYTES if terms.is_atomic else CHUNK_BYTES
    is_too_long = False
    while chunk := _take_lines(rest, most + terms.is_atomic, most_bytes):
        is_over = len(chunk) > most or _size(chunk) > most_bytes
        is_too_long = terms.is_atomic and (is_too_long or is_over)
        parsed = [_too_many(raw) if is_too_long else parse(raw, terms) for raw in chunk]
        yield _take(parsed, chunk[-1].end, batch=batch, terms=terms, at=clock())
    FeedBatch.objects.filter(pk=batch.pk).update(finished_at=clock())


def read_results(batch: FeedBatch) -> Iterator[bytes]:
    """Yield the stored results of a batch as pieces of NDJSON, in the order of the lines."""
    for results in batch.chunks.order_by("first_line").values_list("results", flat=True).iterator():
        yield zlib.decompress(results)


def compress(outcomes: Iterable[Outcome]) -> bytes:
    """Return outcomes in the compressed form in which a chunk stores them."""
    return zlib.compress(serialize(outcomes), level=1)


def serialize(outcomes: Iterable[Outcome]) -> bytes:
    """Return outcomes as NDJSON."""
    return b"".join(orjson.dumps(outcome.as_json()) + b"\n" for outcome in outcomes)


def _take_lines(lines: Iterator[RawLine], most: int, most_bytes: int) -> list[RawLine]:
    """Return the next lines, until they are `most` or have more than `most_bytes` together."""
    chunk: list[RawLine] = []
    size = 0
    for raw in lines:
        chunk.append(raw)
        size += len(raw.text or b"")
        if len(chunk) == most or size > most_bytes:
            break
    return chunk


def _size(lines: Iterable[RawLine]) -> int:
    """Return the bytes of lines together."""
    return sum(len(raw.text or b"") for raw in lines)


def _take(
    parsed: Sequence[Parsed], end: int, *, batch: FeedBatch, terms: Terms, at: datetime
) -> list[Outcome]:
    """Write a chunk in one transaction; if that raises, write it with a savepoint per line."""
    try:
        return _commit(_write_together, parsed, batch, terms, at, end)
    except REFUSALS:
        return _commit(_write_each, parsed, batch, terms, at, end)


@retry_on_deadlock
def _commit(
    write: Callable[..., list[Outcome]],
    parsed: Sequence[Parsed],
    batch: FeedBatch,
    terms: Terms,
    at: datetime,
    end: int,
) -> list[Outcome]:
    """Write a chunk and its outcomes in one transaction; after a deadlock, try again.

    If a line of an atomic batch is refused, only the outcomes are saved, all of them refused.
    Raises: Refused, django.db.Error.
    """
    try:
        with transaction.atomic():
            outcomes = write(parsed, batch, terms, at)
            if terms.is_atomic and any(one.result == FeedResult.REFUSED for one in outcomes):
                raise RolledBack
            saved = _store(outcomes, batch, end, at=at)
    except RolledBack:
        outcomes = [_rolled_back(outcome) for outcome in outcomes]
        with transaction.atomic():
            saved = _store(outcomes, batch, end, at=at)
    for name, value in saved.items():  # not before the commit, which may fail
        setattr(batch, name, value)
    return outcomes


def _write_together(
    parsed: Sequence[Parsed], batch: FeedBatch, terms: Terms, at: datetime
) -> list[Outcome]:
    """Write lines, and then the inbox lines that waited for the records that were created.

    A line that refers to a missing record is added to the inbox if the terms let lines wait.
    """
    outcomes = [one for one in parsed if isinstance(one, Outcome)]
    missing: list[Missing] = []
    for run_ in _runs(one for one in parsed if isinstance(one, Line)):
        written, absent = writing.write(run_[0].kind, run_, terms, at=at)
        outcomes += written
        missing += absent
    if missing and terms.wait:
        waiting.keep(missing, batch=batch, wait=terms.wait, at=at)
    _write_waiting(outcomes, at=at)
    return sorted(outcomes, key=lambda outcome: outcome.line)


def _write_each(
    parsed: Sequence[Parsed], batch: FeedBatch, terms: Terms, at: datetime
) -> list[Outcome]:
    """Write each line in a savepoint of its own; a line that the database refuses is a conflict."""
    outcomes = []
    for one in parsed:
        try:
            with transaction.atomic():
                outcomes += _write_together([one], batch, terms, at)
        except REFUSALS as exc:
            assert isinstance(one, Line)  # noqa: S101 - an outcome writes nothing
            outcomes.append(_refused(one, exc))
    return outcomes


def _refused(line: Line, exc: Exception) -> Outcome:
    """Return the outcome of a line that the database or its kind refused."""
    conflict = fault(FaultCode.CONFLICT, reason=_broken_rule(exc))
    faults: tuple[Fault, ...] = exc.faults if isinstance(exc, Refused) else (conflict,)
    refused_ = FeedResult.REFUSED
    return Outcome(line.number, refused_, line.kind.name, line.external_id, faults=faults)


def _runs(lines: Iterable[Line]) -> Iterator[list[Line]]:
    """Yield runs of consecutive lines of one kind, in which no external id comes twice."""
    run_: list[Line] = []
    ids: set[str] = set()
    for line in lines:
        if run_ and (line.kind is not run_[0].kind or line.external_id in ids):
            yield run_
            run_, ids = [], set()
        run_.append(line)
        ids.add(line.external_id)
    if run_:
        yield run_


def _write_waiting(outcomes: Iterable[Outcome], *, at: datetime) -> None:
    """Write the inbox lines that waited for created records, until no more records are created.

    Whether the sender of a line may still write its kind is checked by `waiting.take_ready`.
    """
    created = _created(outcomes)
    while created:
        written: list[Outcome] = []
        for waits in waiting.take_ready(created, at=at):
            written += _write_one_waiting(waits, at=at)
        created = _created(written)


def _write_one_waiting(waits: FeedInboxLine, *, at: datetime) -> list[Outcome]:
    raw = RawLine(waits.line_number, waits.text.encode(), 0)
    parsed = parse(raw, Terms(kind=waits.kind))
    terms = Terms(wait=waits.expires_at - at)
    missing: list[Missing] = []
    if isinstance(parsed, Outcome):
        outcomes = [parsed]
    else:
        try:
            with transaction.atomic():
                outcomes, missing = writing.write(parsed.kind, [parsed], terms, at=at)
        except REFUSALS as exc:
            outcomes = [_refused(parsed, exc)]
    if missing:
        waits.missing_kind, waits.missing_id = missing[0].kind, missing[0].external_id
        waits.save(update_fields=["missing_kind", "missing_id"])
    elif outcomes[0].faults:
        waits.fault = outcomes[0].faults[0].message
        waits.save(update_fields=["fault"])
    else:
        waits.delete()
    return outcomes


def _created(outcomes: Iterable[Outcome]) -> set[tuple[str, str]]:
    """Return kind and external id of each record that is new or has got a new external id.

    Empty if no line waits in the inbox.
    """
    new = {
        (one.kind, one.external_id)
        for one in outcomes
        if one.is_new_id or one.result == FeedResult.CREATED
    }
    return new if new and FeedInboxLine.objects.filter(fault="").exists() else set()


def _store(
    outcomes: Sequence[Outcome], batch: FeedBatch, end: int, *, at: datetime
) -> dict[str, Any]:
    """Save the outcomes of a chunk, and in its batch the counts and `end`, the offset in bytes.

    Returns the saved columns. `batch` keeps its values: if the commit fails, the chunk is written
    again and must be counted once.
    """
    FeedChunk.objects.create(
        batch=batch,
        first_line=outcomes[0].line,
        results=compress(outcomes),
        created_at=at,
    )
    counts = Counter(batch.counts) + Counter(outcome.result.value for outcome in outcomes)
    saved = {
        "counts": dict(counts),
        "line_count": batch.line_count + len(outcomes),
        "offset_bytes": end,
    }
    FeedBatch.objects.filter(pk=batch.pk).update(**saved)
    return saved


def _broken_rule(exc: Exception) -> str:
    """Return the reason of a conflict, with the rule, or its columns, as the database names it."""
    if connection.vendor == "postgresql":
        name = getattr(getattr(exc.__cause__, "diag", None), "constraint_name", None)
    else:
        found = CONSTRAINT_OF_SQLITE.search(str(exc))
        name = found and found[1]
    return f"{BROKEN_RULE} The rule: {name}." if name else BROKEN_RULE


def _too_many(raw: RawLine) -> Outcome:
    refusal = fault(
        FaultCode.TOO_MANY_LINES, limit=settings.FEED_ATOMIC_LINES, mib=ATOMIC_BYTES // 1024**2
    )
    return Outcome(raw.number, FeedResult.REFUSED, faults=(refusal,))


def _rolled_back(outcome: Outcome) -> Outcome:
    """Change the outcome of a line to refused, because another line of its atomic batch was."""
    if outcome.result != FeedResult.REFUSED:
        outcome.result, outcome.id = FeedResult.REFUSED, None
        outcome.faults = (fault(FaultCode.ROLLED_BACK),)
    return outcome

"""Sources: append-only tables whose rows are anchored. Apps register theirs when they are ready.

register(RangeSource("access_log", AccessLogEntry, ["at", "tool"]))
"""

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from heapq import merge
from itertools import islice
from operator import itemgetter
from typing import Any, Protocol

from django.db.models import Model, QuerySet

from foundation.anchoring.merkle import Tree
from foundation.anchoring.statements import Record
from foundation.database import unreadable_rows

ROWS_PER_RECORD = 1000
UNREADABLE = "unreadable"  # in the place of the digest of a row that raised when it was anchored
SOURCES: dict[str, "Source"] = {}
Finding = tuple[Record, str]
Row = tuple[Any, ...]
Archive = Callable[[int, int], Iterator[Row]]  # rows with ids after one and through another, by id


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    return str(value)


ENCODER = json.JSONEncoder(default=_text, separators=(",", ":"))


class Source(Protocol):
    """Makes records of the rows of a model with integer ids, and compares them later."""

    name: str
    model: type[Model]
    records_at_once: int  # that `compare` is called with

    def records(self, *, after: int, until: int) -> Iterator[Record]:
        """Yield the records of the rows with ids above `after` and up to `until`, inclusive."""

    def compare(self, records: Sequence[Record]) -> Iterator[Finding]:
        """Yield each record that the rows contradict, with a sentence that names the rows."""


def register(source: Source) -> None:
    """Register a source of rows to anchor. Its name is in every anchor, so it must never change."""
    SOURCES[source.name] = source


class RangeSource:
    """The rows of an append-only table: one record per thousand rows, named by their ids.

    `values` are the columns, or columns of related rows, that a record fixes. Rows that were
    anchored with other columns differ for ever: a new column needs a source of another name.
    `archived` yields rows that left the table: the id and the values, times as ISO 8601 in UTC with
    microseconds. A record is the same wherever its rows are.
    """

    records_at_once = 10

    def __init__(
        self,
        name: str,
        model: type[Model],
        values: Sequence[str],
        archived: Archive = lambda _after, _until: iter(()),
    ) -> None:
        self.name, self.model, self.values = name, model, list(values)
        self.archived = archived

    def records(self, *, after: int, until: int) -> Iterator[Record]:
        """Yield a record per ROWS_PER_RECORD rows with ids above `after`, up to `until`.

        The ranges of ids in the records leave no gap. A row that cannot be read has a record of its
        own with the digest UNREADABLE.
        """
        while after < until:
            try:
                block = self._block(after, until)
            except Exception as exc:  # noqa: BLE001 - forged values raise anything
                unreadable_rows.describe(exc)
                ids = list(self._rows(after, until).values_list("pk", flat=True)[:ROWS_PER_RECORD])
                last = ids[-1] if len(ids) == ROWS_PER_RECORD else until
                yield from self._records_around_unreadable(after, last, ids)
            else:
                last = block[-1][0] if len(block) == ROWS_PER_RECORD else until
                if block:
                    yield self._record(after + 1, last, block)
            after = last

    def _records_around_unreadable(
        self, after: int, until: int, ids: Sequence[int]
    ) -> Iterator[Record]:
        """Yield a record for each of the rows that cannot be read, and for the rows between."""
        for pk in ids:
            if not self._can_read(pk):
                if pk > after + 1:
                    yield self._record_as_stored(after + 1, pk - 1)
                yield Record(self.name, f"{pk}-{pk}", 1, UNREADABLE)
                after = pk
        if after < until:
            yield self._record_as_stored(after + 1, until)

    def _can_read(self, pk: int) -> bool:
        try:
            to_line(self._rows(pk - 1, pk).get())
        except Exception as exc:  # noqa: BLE001 - forged values raise anything
            unreadable_rows.describe(exc)
            return False
        return True

    def compare(self, records: Sequence[Record]) -> Iterator[Finding]:
        """Yield each record whose rows differ from the anchored ones, with a sentence about them.

        Records of rows that could not be read when they were anchored are yielded, too.
        """
        for record in records:
            first, last = (int(part) for part in record.name.split("-"))
            if record.digest == UNREADABLE:
                yield record, f"{self.name}, id {first}: could not be read when it was anchored"
                continue
            found = self._record_as_stored(first, last)
            if found.count != record.count:
                fault = f"{found.count} rows instead of {record.count}"
            elif found != record:
                fault = "rows were changed"
            else:
                continue
            yield record, f"{self.name}, ids {first} to {last}: {fault}"

    def _block(self, after: int, until: int) -> list[Row]:
        rows = self._rows(after, until)[:ROWS_PER_RECORD]
        return list(islice(self._merge(iter(rows), after, until), ROWS_PER_RECORD))

    def _merge(self, rows: Iterator[Row], after: int, until: int) -> Iterator[Row]:
        """Yield rows of the table and archived ones together, by id."""
        return merge(rows, self.archived(after, until), key=itemgetter(0))

    def _rows(self, after: int, until: int) -> QuerySet[Any, Row]:
        rows: QuerySet[Any] = QuerySet(self.model).filter(pk__gt=after, pk__lte=until)
        return rows.order_by("pk").values_list("pk", *self.values)

    def _record_as_stored(self, first: int, last: int) -> Record:
        rows = self._merge(self._rows(first - 1, last).iterator(), first - 1, last)
        return self._record(first, last, rows)

    def _record(self, first: int, last: int, rows: Any) -> Record:
        tree = Tree()
        for row in rows:
            tree.append(to_line(row))
        return Record(self.name, f"{first}-{last}", tree.size, tree.root())


def batches(records: Iterator[Record]) -> Iterator[list[Record]]:
    """Yield the records in lists; a list has one source and at most its `records_at_once`."""
    batch: list[Record] = []
    for record in records:
        if batch and (len(batch) == _at_once(batch[0]) or record.source != batch[0].source):
            yield batch
            batch = []
        batch.append(record)
    if batch:
        yield batch


def compare(batch: list[Record]) -> list[Finding]:
    """Compare records of one source with the rows, and return a finding for each contradiction.

    A record whose rows cannot be read, or whose source is unknown, is a finding, too.
    Raises: OperationalError, InterfaceError.
    """
    source = SOURCES.get(batch[0].source)
    if source is None:
        return [(batch[0], f"this version knows no rows named {batch[0].source}")]
    try:
        return list(source.compare(batch))
    except Exception as exc:  # noqa: BLE001 - forged values raise anything, and end no comparison
        fault = unreadable_rows.describe(exc)
        if len(batch) > 1:
            return [finding for record in batch for finding in compare([record])]
        return [(batch[0], f"{source.name}, {batch[0].name}: {fault}")]


def _at_once(record: Record) -> int:
    source = SOURCES.get(record.source)
    return source.records_at_once if source else 1000


def to_line(row: Row) -> bytes:
    """Return the bytes of a row that a record fixes: a JSON list without spaces."""
    return ENCODER.encode(row).encode()

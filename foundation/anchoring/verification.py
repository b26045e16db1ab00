"""Verify anchors: their signatures, their places, and the rows that they fix."""

import tempfile
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import IO

from django.db.models import QuerySet

from foundation.anchoring import keys, statements, stores, timestamps
from foundation.anchoring.merkle import Tree
from foundation.anchoring.sources import SOURCES, batches, compare
from foundation.anchoring.statements import Record, Statement, Unreadable
from foundation.anchoring.stores import RECORDS, SIGNATURE, STATEMENT, TIMESTAMP, Store, StoreFault
from foundation.database.snapshot_processes import MapRanges, map_in_turn

MAX_AGE = timedelta(days=2)  # of the newest anchor: one is made each day


@dataclass(frozen=True)
class Line:
    """A line of the report: a fault or, with `is_fault` off, an observation."""

    text: str
    is_fault: bool = True

    def __str__(self) -> str:
        return self.text


class Verification:
    """The verification of the anchors of several stores. Iterate over `lines` inside a snapshot."""

    def __init__(
        self,
        found: list[Store],
        *,
        key_file: Path | None,
        at: datetime,
        restarted: Collection[int] = (),
        kept: Collection[Path] = (),
        since: int = 0,
        map_ranges: MapRanges = map_in_turn,
    ) -> None:
        """Set up the verification; `lines` reads the stores and the rows.

        `restarted` has the numbers of anchors that began anew with the auditor's knowledge.
        `kept` are files of statements that the auditor kept: stores that lack one were rolled back.
        Rows are compared with anchors newer than number `since`; `map_ranges` may use processes.
        """
        self._restarted, self._kept = restarted, kept
        self._since, self._map_ranges = since, map_ranges
        self._stores, self._key_file, self._at = found, key_file, at
        self._names: dict[str, list[str]] = {}
        self._statements: dict[int, tuple[Statement, bytes]] = {}
        self._reported: set[tuple[str, str]] = set()

    def lines(self) -> Iterator[Line]:
        """Yield the report: faults as they are found, then what the anchors cover."""
        try:
            self._signer = keys.load(self._key_file)
            self._names = {store.location: store.names() for store in self._stores}
        except (keys.KeyFault, StoreFault) as exc:
            yield Line(str(exc))
            return
        names = [name for found in self._names.values() for name in found]
        last = 0
        for number in sorted({stores.number_of(one) for one in names if one.endswith(STATEMENT)}):
            if number > last + 1:
                yield self._gap(last + 1, number - 1)
            yield from self._read(number)
            last = number
        yield from self._links()
        yield from self._compare_kept()
        if not self._statements:
            yield Line(f"there is no anchor in {self._locations()}")
            return
        yield from self._compare()
        yield from self._summary()

    def _gap(self, first: int, last: int) -> Line:
        """Return the fault of anchors that no store has, as one line however many they are."""
        if first == last:
            return Line(f"anchor {first} is missing in {self._locations()}")
        return Line(f"anchors {first} to {last} are missing in {self._locations()}")

    def _read(self, number: int) -> Iterator[Line]:
        """Read a statement from each store, and keep one with a valid signature.

        Yield the faults of the stores and, if one was kept, the times and faults of its timestamps.
        """
        name, signed = stores.file_name(number, STATEMENT), []
        for store in self._stores:
            if name not in self._names[store.location]:
                yield Line(f"anchor {number} is missing in {store.location}")
                continue
            try:
                signed.append(self._signed(store, number))
            except (StoreFault, Unreadable) as exc:
                yield Line(f"anchor {number} in {store.location}: {exc}")
        if len({content for _, content in signed}) > 1:
            yield Line(f"anchor {number} differs between {self._locations()}")
        if signed:
            self._statements[number] = signed[0]
            yield from self._timestamps(number, signed[0][1])

    def _signed(self, store: Store, number: int) -> tuple[Statement, bytes]:
        """Return a statement and its bytes, whose signature is valid.

        Raises: StoreFault; Unreadable, also if no key that counts signed the bytes.
        """
        content = stores.read_all(store, stores.file_name(number, STATEMENT))
        try:
            signature = stores.read_all(store, stores.file_name(number, SIGNATURE, of=content))
        except StoreFault:
            raise Unreadable("it was altered, or its signature is missing") from None
        if not self._signer.verifies(content, signature, number=number):
            raise Unreadable("no key of the key file that counts for this anchor signed it")
        statement = Statement.from_bytes(content)
        if statement.number != number:
            raise Unreadable(f"it is anchor {statement.number}")
        return statement, content

    def _timestamps(self, number: int, content: bytes) -> Iterator[Line]:
        start = stores.file_name(number, "-", of=content)
        for store in self._stores:
            for name in self._names[store.location]:
                if not (name.startswith(start) and name.endswith(TIMESTAMP)):
                    continue
                try:
                    stamp = timestamps.check(stores.read_all(store, name), content)
                except (timestamps.TimestampFault, StoreFault) as exc:
                    yield Line(f"anchor {number} in {store.location}: {exc}")
                else:
                    seen = f"anchor {number} has a timestamp of {stamp.at:%Y-%m-%d %H:%M:%S} UTC"
                    by = f"{stamp.by} (its certificate is not checked)"
                    yield Line(f"{seen} by {by}", is_fault=False)

    def _links(self) -> Iterator[Line]:
        """Yield a fault for each statement whose hash or ids do not continue the one before."""
        for number, (statement, _) in self._statements.items():
            before = self._statements.get(number - 1)
            if before is None:
                continue
            if statement.previous != statements.digest(before[1]):
                yield Line(f"anchor {number} does not follow anchor {number - 1}")
            for source, (after, _until) in statement.ranges.items():
                if after != (0 if statement.restart else before[0].covered(source)):
                    yield Line(f"anchor {number} leaves out rows of {source} before id {after}")

    def _compare_kept(self) -> Iterator[Line]:
        """Yield a fault for each of the auditor's statements that no store has in the same form."""
        for path in self._kept:
            try:
                content = path.read_bytes()
                number = Statement.from_bytes(content).number
            except (OSError, Unreadable) as exc:
                yield Line(f"{path}: {exc}")
                continue
            stored = self._statements.get(number)
            if stored is None:
                yield Line(f"anchor {number} is missing in {self._locations()}: see {path}")
            elif stored[1] != content:
                yield Line(f"anchor {number} in {self._locations()} is another than {path}")

    def _compare(self) -> Iterator[Line]:
        """Compare the rows with the records of each anchor since the last restart."""
        restarts = [number for number, (one, _) in self._statements.items() if one.restart]
        first = max(restarts, default=1)
        for number in restarts:
            reason = self._statements[number][0].restart
            since = f"anchor {number} began anew; those before it were not compared with rows"
            yield Line(f"{since}: {reason}", is_fault=number not in self._restarted)
        for number, (statement, content) in self._statements.items():
            if number >= first and number > self._since:
                with tempfile.TemporaryFile() as records:
                    if self._fetch(statement, content, records):
                        yield from self._contradictions(statement, records)
                    else:
                        yield Line(f"anchor {number}: its records are missing or altered")

    def _fetch(self, statement: Statement, content: bytes, records: IO[bytes]) -> bool:
        """Copy the records from the first store whose file has the signed root.

        Return whether there is such a store.
        """
        name = stores.file_name(statement.number, RECORDS, of=content)
        for store in self._stores:
            if name not in self._names[store.location]:
                continue
            records.seek(0)
            records.truncate()
            tree = Tree()
            try:
                with store.read(name) as opened:
                    for line in opened:
                        tree.append(line.rstrip(b"\n"))
                        records.write(line)
            except (StoreFault, OSError):
                continue
            if (tree.root(), tree.size) == (statement.root, statement.records):
                records.seek(0)
                return True
        return False

    def _contradictions(self, statement: Statement, records: IO[bytes]) -> Iterator[Line]:
        anchor = f"anchor {statement.number} of {statement.at[:16]}"
        kept = (Record.from_bytes(line) for line in records)
        for record, fault in self._map_ranges(compare, batches(kept)):
            if (record.source, record.name) not in self._reported:
                self._reported.add((record.source, record.name))
                yield Line(f"{fault} ({anchor})")

    def covered(self, number: int, source: str) -> int | None:
        """Return the last row id that an anchor covers; None if no store has a valid copy of it.

        Call it after `lines` was read to its end.
        """
        found = self._statements.get(number)
        return found[0].covered(source) if found else None

    def _summary(self) -> Iterator[Line]:
        first, last = min(self._statements), max(self._statements)
        newest = self._statements[last][0]
        span = f"anchors {first} to {last}" if last > first else f"anchor {last}"
        yield Line(f"{span} checked in {self._locations()}", is_fault=False)
        if self._at - datetime.fromisoformat(newest.at) > MAX_AGE:
            yield Line(f"no anchor was made since {newest.at[:16]}")
        for name, source in sorted(SOURCES.items()):
            if QuerySet(source.model).filter(pk__lt=1).exists():
                yield Line(f"{name} has rows with ids below 1, which no anchor covers")
            rows = QuerySet(source.model).filter(pk__gt=newest.covered(name)).count()
            text = f"not covered, since newer than anchor {last} of {newest.at[:16]}: "
            yield Line(f"{text}{rows} rows of {name}", is_fault=False)

    def _locations(self) -> str:
        return ", ".join(store.location for store in self._stores)

"""Make an anchor: records of all new rows, a signed statement, and copies of them in all stores."""

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import IO

from django.conf import settings
from django.core.mail import EmailMessage

from foundation.anchoring import committed_ids, exclusion, keys, statements, stores, timestamps
from foundation.anchoring.merkle import Tree
from foundation.anchoring.sources import SOURCES, UNREADABLE
from foundation.anchoring.statements import Record, Statement
from foundation.anchoring.stores import RECORDS, SIGNATURE, STATEMENT, TIMESTAMP, Store, StoreFault

TIMESTAMP_SERVER = "rfc3161:"
MAILBOX = "mailto:"
REPORT_EVERY = 100  # records
MAIL = """Attached is anchor {number}, made at {at}, and its signature. Keep both where nobody who \
runs the bank's systems can change them.

Records: {records}
Root: {root}
SHA-256 of the attached statement: {digest}
"""
PLANTED = (
    "no anchor is made after it. If no log of anchor_audit names this number, somebody planted the "
    "file: keep a copy for the auditor and see docs/runbook.md, A planted anchor"
)
Report = Callable[[int], None]


class NotAnchored(Exception):
    """No anchor was made; the text says why."""


@dataclass(frozen=True)
class Destinations:
    """The destinations of anchors: stores of files, timestamp servers, and auditors' mailboxes."""

    stores: list[Store]
    servers: list[str] = field(default_factory=list)
    mailboxes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Anchor:
    """A new anchor and its faults: rows that cannot be read, copies, timestamps and mails.

    The anchor is valid despite its faults.
    """

    statement: Statement
    faults: list[str]


def parse_destinations(locations: list[str], *, lock: timedelta) -> Destinations:
    """Return the destinations that the locations of ANCHORS name. Raises: StoreFault."""
    found = Destinations([])
    for location in locations:
        if store := stores.open_store(location, lock=lock):
            found.stores.append(store)
        elif location.startswith(TIMESTAMP_SERVER):
            found.servers.append(location.removeprefix(TIMESTAMP_SERVER))
        elif location.startswith(MAILBOX):
            found.mailboxes.append(location.removeprefix(MAILBOX))
        else:
            raise StoreFault(f"{location} is not file:, s3:, rfc3161: or mailto:")
    return found


def make(
    destinations: Destinations,
    *,
    key_file: Path | None,
    at: datetime,
    restart: str = "",
    report: Report = lambda _records: None,
) -> Anchor:
    """Anchor all rows that were committed since the last anchor.

    `report` is called after every REPORT_EVERY records, with the number written so far.
    With `restart`, a reason, all rows are anchored anew: a restored database lacks rows that older
    anchors have. Must not run in a transaction.
    Raises: NotAnchored, also with OUTBOUND off and while another process makes an anchor.
    """
    if not settings.OUTBOUND:
        raise NotAnchored("OUTBOUND is off: this copy writes and sends nothing")
    try:
        signer = keys.load(key_file)
    except keys.KeyFault as exc:
        raise NotAnchored(str(exc)) from exc
    if not destinations.stores:
        raise NotAnchored("no anchor has a destination: ANCHORS names neither file: nor s3:")
    with exclusion.alone(signer.path) as is_alone:
        if not is_alone:
            raise NotAnchored("another process is making an anchor now")
        return _make(destinations, signer, at=at, restart=restart, report=report)


def _make(
    destinations: Destinations, signer: keys.Keys, *, at: datetime, restart: str, report: Report
) -> Anchor:
    try:
        last = _last(destinations.stores, signer)
        ranges = _ranges(last[0] if last and not restart else None)
        with tempfile.TemporaryFile() as records:
            tree, unreadable = _write(records, ranges, report)
            statement = Statement(
                number=last[0].number + 1 if last else 1,
                at=at.isoformat(),
                key=signer.signing_id,
                ranges=ranges,
                records=tree.size,
                root=tree.root(),
                previous=statements.digest(last[1]) if last else "",
                restart=restart,
            )
            faults = _keep(destinations, signer, statement, records, at=at)
            return Anchor(statement, _name(unreadable) + faults)
    except (keys.KeyFault, StoreFault, committed_ids.StillWriting) as exc:
        raise NotAnchored(str(exc)) from exc


def _last(found: list[Store], signer: keys.Keys) -> tuple[Statement, bytes] | None:
    """Return the newest statement of all stores and its bytes; None if no store has any.

    Raises: NotAnchored if it is no statement, or its signature is missing or not valid; StoreFault.
    """
    numbers = {}
    for store in found:
        for name in store.names():
            if name.endswith(STATEMENT):
                numbers[stores.number_of(name)] = store
    if not numbers:
        return None
    number = max(numbers)
    store = numbers[number]
    content = stores.read_all(store, stores.file_name(number, STATEMENT))
    name = stores.file_name(number, SIGNATURE, of=content)
    if name not in store.names():
        raise NotAnchored(f"anchor {number} in {store.location} has no signature; {PLANTED}")
    signature = stores.read_all(store, name)
    if not signer.verifies(content, signature, number=number):
        raise NotAnchored(
            f"no key that counts for it signed anchor {number} in {store.location}; {PLANTED}"
        )
    try:
        return Statement.from_bytes(content), content
    except statements.Unreadable as exc:  # another file with a signature of this key, as a report
        raise NotAnchored(
            f"anchor {number} in {store.location} is no statement: {exc}; {PLANTED}"
        ) from exc


def _ranges(last: Statement | None) -> dict[str, tuple[int, int]]:
    """Return per source the id after which, and the id up to which, rows are to be anchored.

    Raises: NotAnchored if rows of the last anchor are missing; StillWriting.
    """
    names = sorted(SOURCES)
    newest = committed_ids.newest([SOURCES[name].model for name in names])
    ranges = {}
    for name, until in zip(names, newest, strict=True):
        after = last.covered(name) if last else 0
        if until < after:
            raise NotAnchored(
                f"{name} ends at id {until}, but was anchored up to {after}: the database was "
                "rolled back. If a backup was restored on purpose, anchor with --restart."
            )
        ranges[name] = (after, until)
    return ranges


def _write(
    records: IO[bytes], ranges: Mapping[str, tuple[int, int]], report: Report
) -> tuple[Tree, Counter[str]]:
    """Write the records of the ranges, one per line.

    Shape: the Merkle tree of the records, and how many rows of each source cannot be read.
    """
    tree, unreadable = Tree(), Counter[str]()
    for record in _records(ranges):
        unreadable[record.source] += record.digest == UNREADABLE
        line = record.to_bytes()
        tree.append(line)
        records.write(line + b"\n")
        if tree.size % REPORT_EVERY == 0:
            report(tree.size)
    return tree, +unreadable


def _name(unreadable: Mapping[str, int]) -> list[str]:
    """Return a sentence for each source, with the number of its rows that cannot be read."""
    return [
        f"{source} has {count} new rows that cannot be read, which `verify_audit --anchors` names"
        for source, count in unreadable.items()
    ]


def _records(ranges: Mapping[str, tuple[int, int]]) -> Iterator[Record]:
    for name, (after, until) in ranges.items():
        yield from SOURCES[name].records(after=after, until=until)


def _keep(
    destinations: Destinations,
    signer: keys.Keys,
    statement: Statement,
    records: IO[bytes],
    *,
    at: datetime,
) -> list[str]:
    """Get timestamps, write the anchor to every store, and mail the statement.

    Return the faults of timestamp servers, stores and mails. A store first gets the anchors that
    it missed. Raises: StoreFault if every store failed.
    """
    content = statement.to_bytes()
    signature = signer.sign(content)
    tokens, faults = _timestamps(destinations.servers, content)
    files: dict[str, IO[bytes]] = {  # the statement is last: it makes the anchor whole
        RECORDS: records,
        **{f"-{place}{TIMESTAMP}": BytesIO(token) for place, token in tokens.items()},
        SIGNATURE: BytesIO(signature),
        STATEMENT: BytesIO(content),
    }
    missed = []
    for store in destinations.stores:
        try:
            _copy_missing(destinations.stores, store, statement.number, at=at)
            for ending, file in files.items():
                file.seek(0)
                name = stores.file_name(statement.number, ending, of=content)
                store.write(name, file, at=at)
        except StoreFault as exc:
            missed.append(str(exc))
    if len(missed) == len(destinations.stores):
        raise StoreFault("; ".join(missed))
    faults += missed
    for mailbox in destinations.mailboxes:
        faults += _mail(mailbox, statement, content, signature)
    return faults


def _timestamps(servers: list[str], content: bytes) -> tuple[dict[int, bytes], list[str]]:
    """Request a timestamp of each server.

    Shape: tokens by the place of their server among the timestamp servers, from 1; the failures.
    """
    tokens, faults = {}, []
    for place, server in enumerate(servers, start=1):
        try:
            tokens[place] = timestamps.request(server, content)
        except timestamps.TimestampFault as exc:
            faults.append(str(exc))
    return tokens, faults


def _copy_missing(found: list[Store], store: Store, before: int, *, at: datetime) -> None:
    """Copy to a store the anchors with numbers below `before` that only other stores have.

    Raises: StoreFault.
    """
    there = set(store.names())
    for other in found:
        names = [name for name in other.names() if stores.number_of(name) < before]
        whole = {stores.number_of(name) for name in names if name.endswith(STATEMENT)}
        wanted = [name for name in names if name not in there and stores.number_of(name) in whole]
        for name in sorted(wanted, key=lambda name: (name.endswith(STATEMENT), name)):
            with other.read(name) as opened:
                store.write(name, opened, at=at)
            there.add(name)


def _mail(mailbox: str, statement: Statement, content: bytes, signature: bytes) -> list[str]:
    """Mail a statement and its signature to an auditor; return a list, with the failure if any."""
    reason = " ".join(statement.restart.split()) if statement.restart else ""
    begun_anew = f", begun anew: {reason}" if reason else ""
    mail = EmailMessage(
        subject=f"Audit anchor {statement.number}{begun_anew}",
        body=MAIL.format(
            number=statement.number,
            at=statement.at,
            records=statement.records,
            root=statement.root,
            digest=statements.digest(content),
        ),
        to=[mailbox],
    )
    for ending, attached in ((STATEMENT, content), (SIGNATURE, signature)):
        name = stores.file_name(statement.number, ending, of=content)
        mail.attach(name, attached, "application/octet-stream")
    try:
        mail.send()
    except OSError as exc:
        return [f"mail to an auditor: {exc}"]
    return []

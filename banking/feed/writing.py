"""Write lines of one kind: versions, references, rows, records and changes, in bulk."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from banking.choices import FeedResult
from banking.feed import binding, digests, references
from banking.feed.faults import FaultCode, Refused, fault
from banking.feed.lines import Line, Outcome, Terms
from banking.feed.registry import Kind, Target, Work, serialize
from banking.feed.waiting import Missing
from banking.models.feed import CHANGED_HERE, FeedChange, FeedRecord
from foundation.database.inserts import insert


def write(
    kind: Kind[Any], lines: Sequence[Line], terms: Terms, *, at: datetime
) -> tuple[list[Outcome], list[Missing]]:
    """Write lines of one kind in the caller's transaction.

    No two lines may have the same external id. Returns an outcome for each line, in the order of
    the lines, and the lines that may wait for a record which the feed has not sent yet.
    Raises: Refused if the lines cannot be written together.
    """
    outcomes = {
        line.number: Outcome(line.number, FeedResult.UNCHANGED, kind.name, line.external_id)
        for line in lines
    }
    works = _look_up(kind, lines)
    binding.bind(kind, works)
    works = [work for work in works if _is_due(work, outcomes[work.line.number], at=at)]
    _find_rows(kind, works)
    missing = _resolve(works, outcomes, terms)
    due = [work for work in works if outcomes[work.line.number].result == FeedResult.UNCHANGED]
    binding.refuse_second_ids(kind, due)
    _remove(kind, [work for work in due if work.line.data is None], at=at)
    kind.save([work for work in due if work.line.data is not None], at=at)
    binding.refuse_second_ids(kind, due)  # of rows that the kind has found
    _record(kind, due, outcomes, at=at)
    return list(outcomes.values()), missing


def _look_up(kind: Kind[Any], lines: Sequence[Line]) -> list[Work[Any]]:
    """Return each line with its stored record, which is locked."""
    stored = FeedRecord.objects.select_for_update(of=("self",), no_key=True)
    stored = stored.filter(kind=kind.name, external_id__in=[line.external_id for line in lines])
    records = {record.external_id: record for record in stored.order_by("pk")}
    return [Work(line, records.get(line.external_id), {}) for line in lines]


def _find_rows(kind: Kind[Any], works: Sequence[Work[Any]]) -> None:
    """Give each line the row of its record, or the row that its external id names."""
    keys = {work.record.row_key for work in works if work.record} - {None}
    rows = kind.find_rows(keys) if keys else {}
    others = [work.line.external_id for work in works if not (work.record or work.row)]
    named = references.find_by_name(kind.name, others)
    for work in works:
        key = work.record and work.record.row_key
        if work.record:
            work.row = rows.get(key)
        elif work.row is None:
            work.row = named.get(work.line.external_id)
        work.had_row = work.row is not None


def _is_due(work: Work[Any], outcome: Outcome, *, at: datetime) -> bool:
    """Return whether the line is to be written; otherwise complete its outcome.

    A newer version of the same data is saved in the stored record, and so is the digest of the line
    if the stored digest was made with a former key.
    """
    line, record = work.line, work.record
    if work.faults:
        outcome.result, outcome.faults = FeedResult.REFUSED, tuple(work.faults)
        return False
    if record is None:
        return True
    outcome.id = record.row_uuid
    is_changed_here = record.digest == CHANGED_HERE and not record.is_removed
    if line.version < record.version or (is_changed_here and line.version == record.version):
        outcome.result = FeedResult.STALE
        return False
    is_former = record.digest in line.former_digests
    is_of = is_former or digests.is_of(record.digest, line.digest)
    is_same = (line.data is None) if record.is_removed else is_of
    is_same = is_same and record.is_removed == (line.data is None)
    if is_same and (line.version > record.version or is_former):
        FeedRecord.objects.filter(pk=record.pk).update(
            version=line.version, digest=line.digest, updated_at=at
        )
    if not is_same and line.version == record.version:
        outcome.result = FeedResult.REFUSED
        outcome.faults = (fault(FaultCode.VERSION_REUSED, "version"),)
        return False
    return work.is_renamed or not is_same


def _resolve(
    works: Sequence[Work[Any]], outcomes: dict[int, Outcome], terms: Terms
) -> list[Missing]:
    """Give each line the rows of its references; refuse lines with a missing reference.

    If the terms let lines wait, these lines are pending instead, and are returned.
    """
    named = {work.line.number: list(_references(work)) for work in works}
    keys = {(one.kind, one.external_id) for parts in named.values() for one in parts}
    targets = references.resolve(keys) if keys else {}
    missing = []
    for work in works:
        work.targets = targets
        absent = [
            one for one in named[work.line.number] if (one.kind, one.external_id) not in targets
        ]
        if not absent:
            continue
        outcome = outcomes[work.line.number]
        outcome.result = FeedResult.PENDING if terms.wait else FeedResult.REFUSED
        outcome.faults = tuple(
            fault(FaultCode.REFERENCE_MISSING, *one.path, id=one.external_id, kind=one.kind)
            for one in absent
        )
        if terms.wait:
            missing.append(Missing(work.line, absent[0].kind, absent[0].external_id))
    return missing


def _references(work: Work[Any]) -> Any:
    return work.line.data.references("data") if work.line.data is not None else ()


def _remove(kind: Kind[Any], works: Sequence[Work[Any]], *, at: datetime) -> None:
    for work in works:
        if work.row is None:
            continue
        try:
            if work.record:
                work.record.removed_data = serialize(kind.represent(work.row)).decode()
            kind.remove(work.row, at=at)
        except Refused as exc:
            work.faults += exc.faults


def _record(
    kind: Kind[Any], works: Sequence[Work[Any]], outcomes: dict[int, Outcome], *, at: datetime
) -> None:
    """Write the records and changes of written lines, and complete their outcomes."""
    new: list[FeedRecord] = []
    known: list[FeedRecord] = []
    changes: list[FeedChange] = []
    for work in works:
        outcome = outcomes[work.line.number]
        if work.faults:
            outcome.result, outcome.faults = FeedResult.REFUSED, tuple(work.faults)
            continue
        outcome.result = _result(work)
        outcome.is_new_id = work.record is None or work.is_renamed
        record = work.record or FeedRecord(kind=kind.name, external_id=work.line.external_id)
        (known if work.record else new).append(record)
        target = Target(None, None) if work.line.data is None else kind.target_of(work.row)
        outcome.id = target.row_uuid or outcome.id
        _complete(record, work.line, target, at=at)
        changes.append(_change(record, outcome.result))
    if new:
        insert(*new)
    for record in known:
        record.save()
    if changes:
        insert(*changes)


def _result(work: Work[Any]) -> FeedResult:
    if work.line.data is None:
        return FeedResult.REMOVED
    return FeedResult.UPDATED if work.had_row else FeedResult.CREATED


def _complete(record: FeedRecord, line: Line, target: Target, *, at: datetime) -> None:
    record.row_id, record.row_uuid = target.row_id, target.row_uuid
    record.version, record.digest = line.version, line.digest
    record.is_removed = line.data is None
    if not record.is_removed:
        record.removed_data = ""
    record.updated_at = at


def _change(record: FeedRecord, result: FeedResult) -> FeedChange:
    return FeedChange(
        kind=record.kind,
        external_id=record.external_id,
        version=record.version,
        result=result,
        changed_at=record.updated_at,
    )

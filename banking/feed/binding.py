"""Bind ids of the sender to rows that were made here, which until then are named by their UUID."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from banking.feed.faults import Fault, FaultCode, Refused, fault
from banking.feed.registry import Kind, Work
from banking.models.feed import FeedRecord

FIELD = "bindTo"
NO_UUID = "Records of this kind have no UUID; a line is matched by what the record is."


def bind(kind: Kind[Any], works: Sequence[Work[Any]]) -> None:
    """Give each line with `bindTo` the row with that UUID, or a fault.

    A record that lines have sent under the UUID is locked and gets the external id of the line.
    Raises: Refused if two lines bind the same row.
    """
    works = [work for work in works if work.line.bind_to]
    if not works:
        return
    rows = _find_rows(kind, works)
    stored = FeedRecord.objects.select_for_update(of=("self",), no_key=True)
    stored = stored.filter(kind=kind.name, row_id__in=[row.pk for row in rows.values()])
    records = {record.row_id: record for record in stored.order_by("pk")}
    bound: set[int] = set()
    for work in works:
        row: Any = rows.get(work.line.bind_to)
        record = row and records.get(row.pk)
        if refusal := _refusal(work, row, record):
            work.faults.append(refusal)
            continue
        if row.pk in bound:
            raise Refused(fault(FaultCode.ID_KNOWN, FIELD, id=work.line.external_id))
        bound.add(row.pk)
        work.row = row
        if record and record.external_id != work.line.external_id:
            record.external_id = work.line.external_id
            work.record, work.is_renamed = record, True


def refuse_second_ids(kind: Kind[Any], works: Sequence[Work[Any]]) -> None:
    """Refuse all lines if one has a new external id for a row that lines sent under another id.

    Raises: Refused. If rows have been written, the caller rolls them back.
    """
    known_rows = [work for work in works if work.had_row and not work.faults]
    found = [work.row for work in known_rows if work.record is None]
    if not found:
        return
    keys = [kind.target_of(row).row_id for row in found]
    records = FeedRecord.objects.filter(kind=kind.name, row_id__in=keys)
    known = list(records.values_list("external_id", flat=True))
    if known:
        raise Refused(*(fault(FaultCode.ID_KNOWN, "externalId", id=name) for name in known))


def _find_rows(kind: Kind[Any], works: Sequence[Work[Any]]) -> dict[UUID | None, Any]:
    """Return the rows by UUID; empty for a kind whose rows have no UUID."""
    if not _has_uuid(kind):
        return {}
    found = kind.rows().filter(external_id__in=[work.line.bind_to for work in works])
    return {row.external_id: row for row in found}


def _has_uuid(kind: Kind[Any]) -> bool:
    return getattr(kind.model, "named_by", ()) == ("external_id",)


def _refusal(work: Work[Any], row: Any, record: FeedRecord | None) -> Fault | None:
    """Return the fault for which the line cannot bind its id to the row; None if it can."""
    line = work.line
    if not _has_uuid(line.kind):
        return fault(FaultCode.VALUE_REFUSED, FIELD, reason=NO_UUID)
    if row is None:
        return fault(FaultCode.REFERENCE_MISSING, FIELD, id=line.bind_to, kind=line.kind.name)
    if record and record.external_id not in {line.external_id, str(line.bind_to)}:
        return fault(FaultCode.ID_KNOWN, FIELD, id=record.external_id)
    if work.record and work.record.row_id != row.pk:
        return fault(FaultCode.ID_TAKEN, "externalId", id=line.external_id)
    return None

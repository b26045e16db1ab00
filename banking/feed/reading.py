"""Reads of stored records of the feed: one record, and the log of changes of all records."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import orjson

from banking.feed import references
from banking.feed.registry import KINDS, Kind, serialize
from banking.models.feed import FeedChange, FeedRecord
from foundation.anchoring import committed_ids

WAIT_SECONDS = 10.0  # for transactions that are writing changes


@dataclass(frozen=True)
class StoredRecord:
    """A record as it is stored; `version` is None of a record that no line has sent.

    `data` is JSON; of a removed record the last data, or empty if the record never had any.
    """

    kind: str
    external_id: str
    id: str | None
    version: int | None
    is_removed: bool
    data: bytes

    def as_json(self) -> dict[str, Any]:
        """Return the object that is sent for the record."""
        return {
            "kind": self.kind,
            "externalId": self.external_id,
            "id": self.id,
            "version": self.version,
            "removed": self.is_removed,
            "data": orjson.Fragment(self.data) if self.data else None,
        }


@dataclass(frozen=True)
class Changes:
    """A page of changes, oldest first; `next_after` is the id to read on from."""

    changes: Sequence[FeedChange]
    next_after: int
    has_more: bool


def find_record(kind: Kind[Any], external_id: str) -> StoredRecord | None:
    """Return a record, also a removed one, by the sender's id; None if there is none.

    A row that was made here is found by its name, too, for example its UUID.
    """
    record = FeedRecord.objects.filter(kind=kind.name, external_id=external_id).first()
    if record is None:
        row = references.find_by_name(kind.name, [external_id]).get(external_id)
        if row is None:
            return None
        target = kind.target_of(row)
        record = FeedRecord.objects.filter(kind=kind.name, row_id=target.row_id or 0).first()
    if record is None:
        data, uuid = serialize(kind.represent(row)), _text(target.row_uuid)
        return StoredRecord(kind.name, external_id, uuid, None, False, data)
    data = record.removed_data.encode()
    if not record.is_removed:
        data = serialize(kind.represent(kind.find_rows([record.row_key])[record.row_key]))
    uuid = _text(record.row_uuid)
    return StoredRecord(
        kind.name, record.external_id, uuid, record.version, record.is_removed, data
    )


def _text(uuid: UUID | None) -> str | None:
    return str(uuid) if uuid else None


def read_changes(*, after: int, size: int, kinds: Sequence[str] | None = None) -> Changes:
    """Return the first `size` changes with ids above `after`, of `kinds` or, if None, of all kinds.

    Waits for transactions that are writing changes, so that no change with a lower id than those
    returned can appear later. Raises: StillWriting if they take longer than WAIT_SECONDS.
    """
    (newest,) = committed_ids.newest([FeedChange], seconds=WAIT_SECONDS)
    found = FeedChange.objects.filter(pk__gt=after, pk__lte=newest).order_by("pk")
    found = found.filter(kind__in=kinds) if kinds is not None else found
    page = list(found[: size + 1])
    has_more, page = len(page) > size, page[:size]
    return Changes(page, page[-1].pk if page else max(after, 0), has_more)


def json_schema(kind: str) -> dict[str, Any]:
    """Return the JSON Schema of the data of a kind."""
    return KINDS[kind].schema.model_json_schema(by_alias=True)

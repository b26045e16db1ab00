"""References between records: find the rows that external ids lead to."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any

from django.db.models import Model, QuerySet

from banking.feed.registry import KINDS, Target
from banking.models.feed import FeedRecord
from foundation.external_ids import NOBODY, ExternalIdModel, parse

Key = tuple[str, str]  # kind and external id


def resolve(wanted: Collection[Key]) -> dict[Key, Target]:
    """Return the rows of records by kind and external id; missing records are left out.

    A record that did not come from the feed is found by its UUID.
    """
    by_kind: dict[str, set[str]] = defaultdict(set)
    for kind, external_id in wanted:
        by_kind[kind].add(external_id)
    found: dict[Key, Target] = {}
    for kind, ids in by_kind.items():
        found |= {(kind, external_id): target for external_id, target in _find(kind, ids)}
    return found


def find_by_uuid(kind: str, external_ids: Iterable[str]) -> dict[str, Model]:
    """Return the rows that are named by their UUID, by external id."""
    model = KINDS[kind].model
    ids = {uuid: text for text in external_ids if (uuid := parse(text)) != NOBODY}
    if not ids or not issubclass(model, ExternalIdModel):
        return {}
    rows: QuerySet[ExternalIdModel] = KINDS[kind].rows().filter(external_id__in=ids)
    return {ids[row.external_id]: row for row in rows}


def external_ids_of(kind: str, row_ids: Collection[int | None]) -> dict[int, str]:
    """Return the external ids of rows by primary key: the sender's, else the UUID."""
    ids = {row_id for row_id in row_ids if row_id is not None}
    records = FeedRecord.objects.filter(kind=kind, row_id__in=ids)
    found: dict[Any, str] = dict(records.values_list("row_id", "external_id"))
    model = KINDS[kind].model
    if (rest := ids - found.keys()) and issubclass(model, ExternalIdModel):
        others: QuerySet[ExternalIdModel] = QuerySet(model)
        rows = others.filter(pk__in=rest).values_list("pk", "external_id")
        found |= {pk: str(uuid) for pk, uuid in rows}
    return found


def _find(kind: str, ids: set[str]) -> Iterable[tuple[str, Target]]:
    records = FeedRecord.objects.filter(kind=kind, external_id__in=ids, is_removed=False)
    found = {
        external_id: Target(row_id, row_uuid)
        for external_id, row_id, row_uuid in records.values_list(
            "external_id", "row_id", "row_uuid"
        )
    }
    for external_id, row in find_by_uuid(kind, ids - found.keys()).items():
        found[external_id] = KINDS[kind].target_of(row)
    return found.items()

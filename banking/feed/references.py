"""References between records: find the rows that external ids lead to."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any

from django.db.models import Model, QuerySet

from banking.feed.registry import KINDS, Target
from banking.models.feed import FeedRecord
from foundation.external_ids import NOBODY, SEPARATOR, join, name_of, parse

Key = tuple[str, str]  # kind and external id


def resolve(wanted: Collection[Key]) -> dict[Key, Target]:
    """Return the rows of records by kind and external id; missing records are left out.

    A row that no line has sent is found by its name, as by `find_by_name`.
    """
    by_kind: dict[str, set[str]] = defaultdict(set)
    for kind, external_id in wanted:
        by_kind[kind].add(external_id)
    found: dict[Key, Target] = {}
    for kind, ids in by_kind.items():
        found |= {(kind, external_id): target for external_id, target in _find(kind, ids)}
    return found


def find_by_name(kind: str, external_ids: Iterable[str]) -> dict[str, Model]:
    """Return the rows that external ids name, by external id.

    A row is named by its UUID, or as its model says in `named_by`.
    """
    paths = _named_by(kind)
    names = {name: text for text in external_ids if (name := _canonical(text, paths))}
    if not names:
        return {}
    first = {name.split(SEPARATOR)[0] if len(paths) > 1 else name for name in names}
    rows: QuerySet[Model] = KINDS[kind].rows().filter(**{f"{paths[0]}__in": first})
    if "__" in paths[0]:
        rows = rows.select_related(paths[0].rpartition("__")[0])
    return {names[name]: row for row in rows if (name := name_of(row)) in names}


def _named_by(kind: str) -> tuple[str, ...]:
    return getattr(KINDS[kind].model, "named_by", ())


def _canonical(text: str, paths: tuple[str, ...]) -> str:
    """Return a name with its UUID in the standard form; empty if no row can have such a name."""
    if not paths or not paths[0].endswith("external_id"):
        return text if paths else ""
    first, *others = text.split(SEPARATOR)
    uuid = parse(first)
    return join([uuid, *others]) if uuid != NOBODY and len(others) == len(paths) - 1 else ""


def external_ids_of(kind: str, row_ids: Collection[int | None]) -> dict[int, str]:
    """Return the external ids of rows by primary key: that of the sender, or else the row's name.

    A name is a UUID, or as the model says in `named_by`. A row that has neither is left out.
    """
    ids = {row_id for row_id in row_ids if row_id is not None}
    records = FeedRecord.objects.filter(kind=kind, row_id__in=ids)
    found: dict[Any, str] = dict(records.values_list("row_id", "external_id"))
    if (rest := ids - found.keys()) and (paths := _named_by(kind)):
        others: QuerySet[Model] = QuerySet(KINDS[kind].model)
        rows = others.filter(pk__in=rest).values_list("pk", *paths)
        found |= {pk: join(values) for pk, *values in rows}
    return found


def _find(kind: str, ids: set[str]) -> Iterable[tuple[str, Target]]:
    records = FeedRecord.objects.filter(kind=kind, external_id__in=ids, is_removed=False)
    found = {
        external_id: Target(row_id, row_uuid)
        for external_id, row_id, row_uuid in records.values_list(
            "external_id", "row_id", "row_uuid"
        )
    }
    for external_id, row in find_by_name(kind, ids - found.keys()).items():
        found[external_id] = KINDS[kind].target_of(row)
    return found.items()

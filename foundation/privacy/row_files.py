"""Row files: the stored files of all rows that hold the SHA-256 and the size of a file."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

from django.apps import apps
from django.db.models import FileField, Model, QuerySet

from foundation.privacy.aws_kms import KeyServiceUnavailable
from foundation.privacy.encrypted_files import UnreadableFile

COLUMNS: Final = {"file", "sha256", "size_bytes"}
EXPIRY: Final = "expires_at"
ROWS_PER_BATCH: Final = 200


@dataclass(frozen=True)
class Batch:
    """The result of reading the files of some rows of one model.

    `kind` is the label of the model, `last` the highest id of the rows, `files` the number of the
    files, `content_bytes` the size of those that could be read; `faults` are sentences.
    """

    kind: str
    last: int
    files: int
    content_bytes: int
    faults: list[str]


def file_models() -> list[type[Model]]:
    """Return the models whose rows hold a file for good, by their labels.

    Models of results of jobs, of uploads of the feed and of links are left out: their files expire.
    """
    named = {model: _names(model) for model in apps.get_models()}
    found = [model for model, names in named.items() if names >= COLUMNS and EXPIRY not in names]
    return sorted(found, key=lambda model: model._meta.label_lower)


def read_files(
    *, after: dict[str, int] | None = None, sample: int = 0, threads: int = 4
) -> Iterator[Batch]:
    """Read the file of each row, and compare its SHA-256 and its size with the row.

    `after` has ids of rows by the label of their model: only rows with higher ids are read. With
    `sample`, only so many rows of each model, drawn at random. Raises: KeyServiceUnavailable.
    """
    with ThreadPoolExecutor(threads) as pool:
        for model in file_models():
            kind = model._meta.label_lower
            for rows in _batches(model, (after or {}).get(kind, 0), sample):
                results = list(zip(rows, pool.map(_read, rows), strict=True))
                yield Batch(
                    kind,
                    max(row.pk for row in rows),
                    len(rows),
                    sum(size for _, (size, _) in results),
                    [fault for row, (_, fault) in results if fault and _is_there(row)],
                )


def _names(model: type[Model]) -> set[str]:
    fields = {field.name: field for field in model._meta.concrete_fields}
    return {*fields} if isinstance(fields.get("file"), FileField) else set()


def _batches(model: type[Model], after: int, sample: int) -> Iterator[Sequence[Any]]:
    rows: QuerySet[Any] = QuerySet(model).exclude(file="").filter(pk__gt=after)
    if sample:
        drawn = list(rows.order_by("?")[:sample])
        yield from ([drawn] if drawn else [])
        return
    while batch := list(rows.filter(pk__gt=after).order_by("pk")[:ROWS_PER_BATCH]):
        yield batch
        after = batch[-1].pk


def _is_there(row: Any) -> bool:
    """Return whether a row was neither deleted nor given another file meanwhile."""
    rows: QuerySet[Any] = QuerySet(type(row))
    return rows.filter(pk=row.pk, file=row.file.name).exists()


def _read(row: Any) -> tuple[int, str]:
    """Return the size of the content of a row's file, and its fault, empty if it has none.

    Raises: KeyServiceUnavailable.
    """
    name = f"{row._meta.verbose_name} {getattr(row, 'external_id', row.pk)}"
    try:
        with row.open_file() as opened:
            size: int = opened.seek(0, os.SEEK_END)
    except FileNotFoundError:
        return 0, f"{name}: its file {row.file.name} is missing"
    except UnreadableFile as exc:
        return 0, f"{name}: its file {row.file.name} is damaged: {exc}"
    except KeyServiceUnavailable:
        raise
    except Exception as exc:  # noqa: BLE001 - each store has errors of its own
        return 0, f"{name}: its file {row.file.name} cannot be read: {type(exc).__name__}: {exc}"
    if size != row.size_bytes:
        return size, f"{name}: its file has {size} bytes, its row says {row.size_bytes}"
    return size, ""

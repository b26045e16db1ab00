"""Insert rows of several tables that refer to each other in one statement.

Source: PostgreSQL, `WITH … INSERT … RETURNING`. On SQLite there is a `bulk_create` per table.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache
from typing import Any

import orjson
from django.db import connection
from django.db.models import AutoField, Field, ForeignKey, Model
from django.db.models.fields.files import FieldFile

from foundation.database import prepared_statements
from foundation.database.django_internals import mark_stored

Group = tuple[type[Model], list[Model]]
Columns = Mapping[str, "Field[Any, Any]"]  # by column name


def insert(*rows: Model) -> None:
    """Insert new rows and set their primary keys. Pass a row after the rows that it refers to.

    A row may refer to another new row if that is the only new row of its table; the rows of one
    table must then refer to that same row. Raises: django.db.Error.
    """
    groups: dict[type[Model], list[Model]] = {}
    for row in rows:
        groups.setdefault(type(row), []).append(row)
    if groups and connection.vendor == "postgresql":
        _insert_in_one_statement(list(groups.items()))
    else:
        for model, group in groups.items():
            _copy_keys_of_related_rows(group)
            model.objects.bulk_create(group)  # type: ignore[attr-defined]  # all models here have `objects`


def insert_unless_present(row: Model) -> bool:
    """Insert a new row unless a unique constraint forbids it. Return whether it was inserted.

    Raises: django.db.Error.
    """
    values = [
        column.get_db_prep_save(column.pre_save(row, add=True), connection)
        for column in _columns(type(row)).values()
    ]
    keys = prepared_statements.fetch(_insert_unless_present_statement(type(row)), values)
    for (key,) in keys:
        _set_key(row, key)
    return bool(keys)


@cache
def _insert_unless_present_statement(model: type[Model]) -> str:
    quote = connection.ops.quote_name
    names = ", ".join(map(quote, _columns(model)))
    places = ", ".join(["%s"] * len(_columns(model)))
    table, key = quote(model._meta.db_table), quote(_key(model))
    return (
        f"INSERT INTO {table} ({names}) VALUES ({places}) "  # noqa: S608 - quoted names
        f"ON CONFLICT DO NOTHING RETURNING {key}"
    )


def _insert_in_one_statement(groups: list[Group]) -> None:
    for _, rows in groups:
        _copy_keys_of_related_rows(rows)
    tables = tuple((model, _references(model, rows, groups)) for model, rows in groups)
    sent = [
        orjson.dumps([_values(row) for row in rows], default=_as_json).decode()
        for _, rows in groups
    ]
    keys: list[list[Any]] = [[] for _ in groups]
    for place, key in prepared_statements.fetch(_statement(tables), sent):
        keys[place].append(key)
    for (model, rows), inserted in zip(groups, keys, strict=True):
        _copy_keys_of_related_rows(rows)
        # the database generates keys in the order of the rows
        new_keys = sorted(inserted) if _has_generated_key(model) else [row.pk for row in rows]
        for row, key in zip(rows, new_keys, strict=True):
            _set_key(row, key)


def _set_key(row: Model, key: Any) -> None:
    row.pk = key
    mark_stored(row)


def _copy_keys_of_related_rows(rows: Sequence[Model]) -> None:
    """Set the foreign keys of rows whose related rows have primary keys by now."""
    for row in rows:
        for column in _foreign_keys(type(row)):
            related = column.get_cached_value(row, default=None)
            if related and getattr(row, column.attname) is None:
                setattr(row, column.name, related)


def _references(
    model: type[Model], rows: Sequence[Model], groups: Sequence[Group]
) -> tuple[tuple[str, int], ...]:
    """Return the columns that refer to a row of the same statement, with its table's position."""
    places = {id(group[0]): place for place, (_, group) in enumerate(groups) if len(group) == 1}
    return tuple(
        (column.column, places[id(column.get_cached_value(rows[0]))])
        for column in _foreign_keys(model)
        if getattr(rows[0], column.attname) is None
        and id(column.get_cached_value(rows[0], default=None)) in places
    )


def _values(row: Model) -> dict[str, Any]:
    """Return the values of a row by column, as JSON holds them."""
    held = vars(row)
    return {
        name: held[attribute]
        if column is None
        else column.get_db_prep_save(column.pre_save(row, add=True), connection)
        for name, attribute, column in _sources(type(row))
    }


def _as_json(value: Any) -> str:
    """Serialize a Decimal or the name of a stored file. Raises: TypeError for other types."""
    if isinstance(value, (Decimal, FieldFile)):
        return str(value)
    raise TypeError(f"{type(value).__name__} cannot be serialized for an insert.")


@cache
def _sources(model: type[Model]) -> list[tuple[str, str, Any]]:
    """Return for each column its name, its attribute, and its field or None.

    The field is None if its value needs no `get_db_prep_save`.

    PostgreSQL reads the values of most Django fields as orjson writes them.
    """
    return [
        (name, column.attname, None if _needs_no_preparation(column) else column)
        for name, column in _columns(model).items()
    ]


def _needs_no_preparation(column: Any) -> bool:
    is_clock = getattr(column, "auto_now", False) or getattr(column, "auto_now_add", False)
    return type(column).__module__.startswith("django.") and not is_clock


@cache
def _columns(model: type[Model]) -> Columns:
    columns = {str(column.column): column for column in model._meta.concrete_fields}
    if _has_generated_key(model):
        del columns[_key(model)]
    return columns


@cache
def _foreign_keys(model: type[Model]) -> list[Any]:
    return [column for column in model._meta.concrete_fields if isinstance(column, ForeignKey)]


def _key(model: type[Model]) -> str:
    return str(model._meta.pk.column)


def _has_generated_key(model: type[Model]) -> bool:
    """Return whether the database generates the primary key, and not a default of the field."""
    return isinstance(model._meta.pk, AutoField)


@cache
def _statement(tables: tuple[tuple[type[Model], tuple[tuple[str, int], ...]], ...]) -> str:
    """Return the SQL statement: its parameters are JSON lists of rows, one list per table.

    Its result has one row per generated key: the position of its table, and the key.
    """
    keys = [
        f"SELECT {place}, key FROM rows_{place}"  # noqa: S608 - numbers
        for place, (model, _) in enumerate(tables)
        if _has_generated_key(model)
    ]
    results = " UNION ALL ".join(keys) or "SELECT 0, 0 WHERE false"
    return f"WITH {', '.join(_parts(tables))} {results}"


def _parts(tables: Sequence[tuple[type[Model], tuple[tuple[str, int], ...]]]) -> Iterator[str]:
    quote = connection.ops.quote_name
    for place, (model, references) in enumerate(tables):
        table, key = quote(model._meta.db_table), quote(_key(model))
        values = {name: f"sent.{quote(name)}" for name in _columns(model)}
        values |= {name: f"(SELECT key FROM rows_{other})" for name, other in references}  # noqa: S608 - a number
        yield (
            f"rows_{place} AS (INSERT INTO {table} ({', '.join(map(quote, values))}) "  # noqa: S608 - quoted names
            f"SELECT {', '.join(values.values())} "
            f"FROM jsonb_populate_recordset(NULL::{table}, %s::jsonb) AS sent "
            f"RETURNING {key} AS key)"
        )

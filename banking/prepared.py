"""Prepared statements: for the few that every call makes.

The ORM writes a statement anew each time, and Django's cursors bind its values into the text, so
that the database plans it anew, too. These statements are written once, by hand, and planned once
per connection.
"""

from collections.abc import Sequence
from typing import Any, TypeVar

import psycopg
from django.db import connection
from django.db.models import Field, Model

Row = TypeVar("Row", bound=Model)


def execute(sql: str, values: Sequence[Any]) -> None:
    """Execute a statement that gives no rows. Raises: django.db.Error, as any cursor does."""
    if _is_plain():
        with connection.cursor() as cursor:
            cursor.execute(sql, values)
    else:
        with connection.wrap_database_errors:
            _cursor().execute(sql, values, prepare=True)


def fetch(sql: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Execute a statement and return its rows. Raises: django.db.Error, as any cursor does."""
    if _is_plain():
        with connection.cursor() as cursor:
            cursor.execute(sql, values)
            return cursor.fetchall()
    with connection.wrap_database_errors:
        return _cursor().execute(sql, values, prepare=True).fetchall()


def instance(model: type[Row], columns: Sequence["Field[Any, Any]"], values: Sequence[Any]) -> Row:
    """Return the object of a row, its values converted as the ORM does."""
    names = [column.attname for column in columns]
    converted = [_converted(column, value) for column, value in zip(columns, values, strict=True)]
    return model.from_db(connection.alias, names, converted)


def _converted(column: "Field[Any, Any]", value: Any) -> Any:
    source = column.cached_col
    for convert in connection.ops.get_db_converters(source) + source.get_db_converters(connection):
        value = convert(value, source, connection)
    return value


def _is_plain() -> bool:
    """Say whether Django's cursor must do: on SQLite, and where somebody counts the statements."""
    return connection.vendor != "postgresql" or connection.queries_logged


def _cursor() -> psycopg.Cursor[tuple[Any, ...]]:
    connection.close_if_health_check_failed()  # once per request, as for Django's own cursors
    connection.ensure_connection()
    return psycopg.Cursor(connection.connection)

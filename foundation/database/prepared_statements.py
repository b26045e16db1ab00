"""Execute SQL as prepared statements, which PostgreSQL plans once per connection.

Django's cursors send SQL with its values bound into the text, so that PostgreSQL plans each
statement again. On SQLite, and while queries are logged, these functions use Django's cursors.
"""

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

import psycopg
from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.models import Model

Cursor = psycopg.Cursor[tuple[Any, ...]]
MAX_CURSORS = 100  # of a connection; psycopg keeps as many statements prepared
STALE_STATEMENT = (
    psycopg.errors.FeatureNotSupported,  # a migration changed the type of a column
    psycopg.errors.InvalidSqlStatementName,  # a connection pooler lent another connection
)


def execute(sql: str, values: Sequence[Any]) -> None:
    """Execute a statement that returns no rows. Raises: django.db.Error."""
    default = connections[DEFAULT_DB_ALIAS]
    if _uses_django_cursor(default):
        with default.cursor() as cursor:
            cursor.execute(sql, values)
    else:
        with default.wrap_database_errors:
            _execute_prepared(default, sql, values)


def fetch(sql: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Execute a statement and return its rows. Raises: django.db.Error."""
    default = connections[DEFAULT_DB_ALIAS]
    if _uses_django_cursor(default):
        with default.cursor() as cursor:
            cursor.execute(sql, values)
            rows: list[tuple[Any, ...]] = cursor.fetchall()
            return rows
    with default.wrap_database_errors:
        return _execute_prepared(default, sql, values).fetchall()


def update(row: Model, names: Sequence[str], **expected: Any) -> bool:
    """Save the fields `names` of an instance, if its stored row still has the `expected` values.

    Return whether the row was updated. Raises: django.db.Error.
    """
    nulls = tuple((name, value is None) for name, value in expected.items())
    sql, columns = _update_statement(type(row), tuple(names), nulls)
    compared = [adapt(value) for value in expected.values() if value is not None]
    return bool(fetch(f"{sql} RETURNING 1", [*_values(row, columns), row.pk, *compared]))


def update_all(rows: Sequence[Model], names: Sequence[str]) -> None:
    """Save the fields `names` of instances of one model. Call it in a transaction.

    There must be at least one instance. PostgreSQL gets all updates in one round trip.
    Raises: django.db.Error.
    """
    sql, columns = _update_statement(type(rows[0]), tuple(names), ())
    values = [[*_values(row, columns), row.pk] for row in rows]
    default = connections[DEFAULT_DB_ALIAS]
    if _uses_django_cursor(default):
        with default.cursor() as cursor:
            cursor.executemany(sql, values)
    else:
        with default.wrap_database_errors:
            _check_connection(default)
            text, kept = _kept_cursor(default, sql)
            kept.executemany(text, values)


def adapt(value: Any) -> Any:
    """Return a value in the form that the database driver takes."""
    if isinstance(value, datetime):
        return connection.ops.adapt_datetimefield_value(value)
    if isinstance(value, UUID) and not connection.features.has_native_uuid_field:
        return value.hex
    return value


@lru_cache(maxsize=256)
def _update_statement(
    model: type[Model], names: tuple[str, ...], expected: tuple[tuple[str, bool], ...]
) -> tuple[str, list[Any]]:
    """Return the SQL and its columns; `expected` has for each name whether null is expected."""
    quote, field = connection.ops.quote_name, model._meta.get_field
    columns: list[Any] = [field(name) for name in names]
    table, key = quote(model._meta.db_table), quote(_column_name(model._meta.pk))
    changes = ", ".join(f"{quote(_column_name(column))} = %s" for column in columns)
    conditions = [f"{key} = %s"]
    conditions += [
        f"{quote(_column_name(field(name)))} {'IS NULL' if is_null else '= %s'}"
        for name, is_null in expected
    ]
    where = " AND ".join(conditions)
    sql = f"UPDATE {table} SET {changes} WHERE {where}"  # noqa: S608 - quoted names
    return sql, columns


def _values(row: Model, columns: Sequence[Any]) -> list[Any]:
    """Return the values of a row in the form that the database driver takes."""
    return [
        column.get_db_prep_save(column.pre_save(row, add=False), connection) for column in columns
    ]


def _column_name(field: Any) -> str:
    return str(field.column)


def _uses_django_cursor(default: Any) -> bool:
    return bool(default.vendor != "postgresql" or default.queries_logged)


def _execute_prepared(default: Any, sql: str, values: Sequence[Any]) -> Cursor:
    """Execute a statement with the cursor that the connection keeps for it."""
    _check_connection(default)
    try:
        return _execute_on_kept_cursor(default, sql, values)
    except STALE_STATEMENT:
        if default.in_atomic_block:
            raise  # the rollback makes the driver forget its prepared statements
        default.close()
        return _execute_on_kept_cursor(default, sql, values)


def _check_connection(default: Any) -> None:
    """Close a connection that was lost, once per request, as Django's own cursors do.

    Raises: TransactionManagementError after a failure in the transaction.
    """
    default.validate_no_broken_transaction()
    default.close_if_health_check_failed()


def _execute_on_kept_cursor(default: Any, sql: str, values: Sequence[Any]) -> Cursor:
    text, cursor = _kept_cursor(default, sql)
    executed: Cursor = cursor.execute(text, values, prepare=True)
    return executed


def _kept_cursor(default: Any, sql: str) -> tuple[str, Cursor]:
    """Return the text of a statement and its kept cursor; connect if there is no connection.

    The cursors are kept with Django's connection, which belongs to one thread, by their SQL.
    psycopg finds the functions that read a cursor's columns only for the same string object, so
    the string is kept too.
    """
    default.ensure_connection()
    of_connection, cursors = default.__dict__.get("kept_cursors", (None, {}))
    if of_connection is not default.connection or len(cursors) == MAX_CURSORS:
        cursors = {}
        default.kept_cursors = default.connection, cursors
    if sql not in cursors:
        cursors[sql] = sql, psycopg.Cursor(default.connection)
    kept: tuple[str, Cursor] = cursors[sql]
    return kept

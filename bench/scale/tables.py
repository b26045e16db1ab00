"""Drop indexes and constraints while millions of rows are written."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import connection

FOREIGN_KEYS = """
SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
WHERE contype = 'f' AND (
    conrelid = ANY(%(tables)s::regclass[]::oid[]) OR confrelid = ANY(%(tables)s::regclass[]::oid[])
) ORDER BY conname
"""
UNIQUE_CONSTRAINTS = """
SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
WHERE contype IN ('p', 'u') AND conrelid = ANY(%(tables)s::regclass[]::oid[])
ORDER BY conname
"""
INDEXES = """
SELECT tablename, indexname, indexdef FROM pg_indexes
WHERE tablename = ANY(%(tables)s) AND indexdef NOT LIKE '%% WHERE %%'
    AND indexname NOT IN (SELECT conname FROM pg_constraint)
ORDER BY indexname
"""  # partial ones stay: they hold few of these rows


@contextmanager
def bare(tables: Sequence[str]) -> Iterator[None]:
    """Drop keys and indexes and disable triggers of the tables; restore them at the end.

    Call it inside a transaction. Restoring checks foreign keys and unique indexes for every row,
    but the caller must check the rules that triggers enforce. Partial indexes are kept.
    """
    keys, uniques, indexes = (
        rows(statement, {"tables": list(tables)})
        for statement in [FOREIGN_KEYS, UNIQUE_CONSTRAINTS, INDEXES]
    )
    execute("SET CONSTRAINTS ALL IMMEDIATE")
    for table, name, _ in [*keys, *uniques]:
        execute(f'ALTER TABLE {table} DROP CONSTRAINT "{name}"')
    for _, name, _ in indexes:
        execute(f'DROP INDEX "{name}"')
    for table in tables:
        execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    yield
    for _, _, definition in indexes:
        execute(definition)
    for table, name, definition in [*uniques, *keys]:
        execute(f'ALTER TABLE {table} ADD CONSTRAINT "{name}" {definition}')
    for table in tables:
        execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")
    execute("SET CONSTRAINTS ALL DEFERRED")


def rows(statement: str, parameters: Any = None) -> list[tuple[Any, ...]]:
    """Execute a statement and return its rows."""
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        found: list[tuple[Any, ...]] = cursor.fetchall()
    return found


def execute(statement: str, parameters: Any = None) -> None:
    """Execute a statement."""
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)

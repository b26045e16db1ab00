"""Copies of the ledger's large tables that are partitioned, in a schema of their own.

With the schema first on the search path the product's own statements run on them unchanged. Unique
indexes get the partition key as last column, as PostgreSQL requires. Foreign keys that refer to
the tables are left out.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise

from django.db import connection

from bench.scale.tables import execute, rows

TRANSACTION, ENTRY = "banking_transaction", "banking_entry"
MONTHS = [(year, month) for year in (2023, 2024, 2025, 2026) for month in range(1, 13)]
HASHED = 16  # partitions
COLUMNS = re.compile(r"USING btree \(([^)]*)\)")
INDEXES = "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename = %s"
KEYS = """
SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint
WHERE conrelid = %s::regclass AND contype = 'f'
"""
TRIGGERS = """
SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = %s::regclass AND NOT tgisinternal
"""
SIZES = """
SELECT sum(pg_table_size(relid))::bigint, sum(pg_indexes_size(relid))::bigint FROM (
    SELECT relid FROM pg_partition_tree(%(table)s::regclass)
    UNION SELECT %(table)s::regclass  -- a plain table is in no tree
) found
"""


@dataclass(frozen=True)
class Layout:
    """A schema, and for each table its partition key; the plain layout has no keys."""

    schema: str
    title: str
    method: str = ""
    keys: Mapping[str, str] | None = None


PLAIN = Layout("public", "plain")
BY_MONTH = Layout("by_month", "by month", "RANGE", {TRANSACTION: "occurred_at", ENTRY: "posted_at"})
BY_OWNER = Layout("by_owner", "by hash", "HASH", {TRANSACTION: "business_id", ENTRY: "account_id"})


@contextmanager
def laid_out(layout: Layout) -> Iterator[None]:
    """Make the tables of a layout and let the connection use them; drop them at the end."""
    if layout.keys:
        execute(f"CREATE SCHEMA {layout.schema}")
        for table, key in layout.keys.items():
            _copy(layout, table, key)
    execute(f"SET search_path = {layout.schema}, public")
    try:
        yield
    finally:
        execute("SET search_path = public")
        if layout.keys:
            execute(f"DROP SCHEMA {layout.schema} CASCADE")


def sizes(table: str) -> tuple[int, int]:
    """Return the bytes of a table and of its indexes, all partitions together."""
    [(heap, indexes)] = rows(SIZES, {"table": table})
    return int(heap), int(indexes)


def _copy(layout: Layout, table: str, key: str) -> None:
    execute("SET maintenance_work_mem = '512MB'")
    new, old = f"{layout.schema}.{table}", f"public.{table}"
    execute(
        f"CREATE TABLE {new} (LIKE {old} INCLUDING DEFAULTS INCLUDING CONSTRAINTS) "
        f"PARTITION BY {layout.method} ({key})"
    )
    sequence = f"nextval(pg_get_serial_sequence('{old}', 'id'))"
    execute(f"ALTER TABLE {new} ALTER COLUMN id SET DEFAULT {sequence}")
    for name, bounds in _partitions(layout):
        execute(f"CREATE TABLE {new}_{name} PARTITION OF {new} {bounds}")
    execute(f"INSERT INTO {new} SELECT * FROM {old}")  # noqa: S608 - names of this module
    for (definition,) in rows(INDEXES, [table]):
        execute(_with_key(definition, key).replace(f" ON {old} ", f" ON {new} "))
    for name, definition in rows(KEYS, [old]):
        execute(f'ALTER TABLE {new} ADD CONSTRAINT "{name}" {definition}')
    for (definition,) in rows(TRIGGERS, [old]):
        execute(definition.replace(f" ON {old} ", f" ON {new} "))
    execute(f"VACUUM ANALYZE {new}")


def _partitions(layout: Layout) -> Iterator[tuple[str, str]]:
    if layout.method == "HASH":
        for place in range(HASHED):
            yield f"h{place}", f"FOR VALUES WITH (MODULUS {HASHED}, REMAINDER {place})"
        return
    for (year, month), (next_year, next_month) in pairwise(MONTHS):
        first, last = f"{year}-{month:02}-01 UTC", f"{next_year}-{next_month:02}-01 UTC"
        yield f"m{year}{month:02}", f"FOR VALUES FROM ('{first}') TO ('{last}')"
    yield "default", "DEFAULT"


def _with_key(definition: str, key: str) -> str:
    """Return the definition of an index; a unique one gets the partition key as last column."""
    found = COLUMNS.search(definition)
    if "UNIQUE" not in definition or found is None or key in found[1].split(", "):
        return definition
    return definition.replace(found[0], f"USING btree ({found[1]}, {key})", 1)


def backend() -> int:
    """Return the process id of the server's side of the connection."""
    connection.ensure_connection()
    [(pid,)] = rows("SELECT pg_backend_pid()")
    return int(pid)

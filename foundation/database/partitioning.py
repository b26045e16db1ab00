"""Turn a table that programs use into one that is partitioned by month, on PostgreSQL.

The table itself becomes the first partition, of all times before a boundary, so that no row is
copied. Its rows are read once, to validate the boundary, and its new key is built concurrently:
neither blocks reads or writes. Then one short transaction puts an empty partitioned table of the
same name, columns, defaults, indexes, foreign keys, triggers and rights in its place. Programs that
run meanwhile go on: PostgreSQL plans their prepared statements anew. Call it in a migration that is
not atomic. Each step looks first whether it was done, so that a run that broke off is repeated.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from foundation.database.migration_operations import unlimited_lock_wait
from foundation.database.partitions import (
    MAX_WAIT,
    TRIGGERS,
    add_months,
    copy_triggers,
    months_from,
)

NEWEST = "SELECT greatest(max({column}), %s) FROM {table}"
KIND = "SELECT relkind FROM pg_class WHERE oid = to_regclass(%s)"
IS_VALID = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)"
CHECKED = """
SELECT pg_get_constraintdef(oid) FROM pg_constraint
WHERE conrelid = to_regclass(%s) AND conname = %s
"""
PRIMARY_KEY = "SELECT conname FROM pg_constraint WHERE conrelid = to_regclass(%s) AND contype = 'p'"
INDEXES = """
SELECT relname, pg_get_indexdef(indexrelid) FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
WHERE indrelid = to_regclass(%s) AND NOT indisunique ORDER BY relname
"""
FOREIGN_KEYS = """
SELECT conname, pg_get_constraintdef(oid), confrelid::regclass::text FROM pg_constraint
WHERE conrelid = to_regclass(%s) AND contype = 'f' ORDER BY confrelid::regclass::text, conname
"""
RIGHTS = """
SELECT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(grantee::regrole::text) END,
    string_agg(privilege_type, ', ')
FROM pg_class CROSS JOIN aclexplode(relacl)
WHERE pg_class.oid = to_regclass(%s) AND grantee <> relowner GROUP BY grantee
"""
SEQUENCE = "SELECT pg_get_serial_sequence(%s, 'id')"


class Partitioning:
    """One table that becomes partitioned by months of `column`.

    Its primary key must be `id`, an identity column.
    """

    def __init__(self, connection: BaseDatabaseWrapper, table: str, column: str) -> None:
        self.connection, self.table, self.column = connection, table, column
        self.former = f"{table}_before"
        self.check, self.key = f"{table}_until", f"{table}_key"

    def run(self, *, at: datetime, through: datetime) -> None:
        """Partition the table, and add partitions through the month of `through`; not on SQLite.

        The first partition ends with the month after that of `at`, or of the newest row if that is
        later: rows that are written meanwhile must be before the boundary.
        Raises: OperationalError if a lock is not free in time; run it again.
        """
        if self.connection.vendor != "postgresql":
            return
        if self._value(KIND, [self.table]) == "r":
            self._validate_boundary(at)
            self._build_key()
            with transaction.atomic(using=self.connection.alias):
                self._swap()
        add_months(self.connection, self.table, self.column, through=through.date())

    def _validate_boundary(self, at: datetime) -> None:
        """Add and validate a check of the boundary, which spares ATTACH PARTITION a scan."""
        if not self._value(CHECKED, [self.table, self.check]):
            newest = self._value(NEWEST.format(column=self.column, table=self.table), [at])
            boundary = months_from(newest, 2).isoformat()
            check = f"CHECK ({self.column} < '{boundary}'::timestamptz) NOT VALID"
            self.execute(f"ALTER TABLE {self.table} ADD CONSTRAINT {self.check} {check}")
        self.execute(f"ALTER TABLE {self.table} VALIDATE CONSTRAINT {self.check}")

    def _build_key(self) -> None:
        """Build the unique index that becomes the primary key of the first partition, concurrently.

        It contains the column of times, as each unique index of a partitioned table must.
        """
        with unlimited_lock_wait(self):
            if self._value(IS_VALID, [self.key]) is False:
                self.execute(f"DROP INDEX CONCURRENTLY {self.key}")
            self.execute(
                f"CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS {self.key} "
                f"ON {self.table} (id, {self.column})"
            )

    def _swap(self) -> None:
        """Put a partitioned table in the place of the table, which becomes its first partition.

        Call it in a transaction: it locks the table and those that its foreign keys refer to. No
        step reads the rows. Raises: OperationalError if a lock is not free in time.
        """
        self.execute(MAX_WAIT)
        keys = self._rows(FOREIGN_KEYS, [self.table])
        for referred in dict.fromkeys(key[2] for key in keys):
            self.execute(f"LOCK TABLE {referred} IN SHARE ROW EXCLUSIVE MODE")
        self.execute(f"LOCK TABLE {self.table} IN ACCESS EXCLUSIVE MODE")
        indexes, triggers = self._rows(INDEXES, [self.table]), self._rows(TRIGGERS, [self.table])
        rights, until = self._rows(RIGHTS, [self.table]), self._boundary()
        primary_key = self._value(PRIMARY_KEY, [self.table])
        self._retire(primary_key, [name for name, _ in indexes])
        with self._ids():
            self.execute(
                f"CREATE TABLE {self.table} (LIKE {self.former} INCLUDING DEFAULTS "
                f"INCLUDING CONSTRAINTS) PARTITION BY RANGE ({self.column})"
            )
        self.execute(f"ALTER TABLE {self.table} DROP CONSTRAINT {self.check}")
        self._add(f"{primary_key} PRIMARY KEY (id, {self.column})")
        for name, definition, _ in keys:
            self._add(f'"{name}" {definition}')
        for _, definition in indexes:
            self.execute(definition)
        for (definition,) in triggers:
            self.execute(definition)
        self._grant(rights)
        bounds = f"FOR VALUES FROM (MINVALUE) TO ({until})"
        self.execute(f"ALTER TABLE {self.table} ATTACH PARTITION {self.former} {bounds}")
        self.execute(f"ALTER TABLE {self.former} DROP CONSTRAINT {self.check}")
        default = f"{self.table}_default"
        self.execute(f"CREATE TABLE {default} PARTITION OF {self.table} DEFAULT")
        copy_triggers(self.connection, self.table, default)

    def _boundary(self) -> str:
        check: str = self._value(CHECKED, [self.table, self.check])
        return f"'{check.split(chr(39))[1]}'"

    def _retire(self, primary_key: str, indexes: list[str]) -> None:
        """Rename the table and its indexes, so that the new table can take their names.

        Its primary key is replaced by the one of `_build_key`.
        """
        self.execute(f"ALTER TABLE {self.table} RENAME TO {self.former}")
        for name in indexes:
            self.execute(f'ALTER INDEX "{name}" RENAME TO "{name[:55]}_before"')
        self.execute(
            f"ALTER TABLE {self.former} DROP CONSTRAINT {primary_key}, "
            f"ADD CONSTRAINT {self.former}_pkey PRIMARY KEY USING INDEX {self.key}"
        )

    @contextmanager
    def _ids(self) -> Iterator[None]:
        """Replace the identity column by a sequence; the block creates the table that uses it.

        A partition may not have an identity column.
        """
        sequence = self._value(SEQUENCE, [self.former])
        [(last, is_called)] = self._rows(f"SELECT last_value, is_called FROM {sequence}")  # noqa: S608 - the database's name
        self.execute(f"ALTER TABLE {self.former} ALTER COLUMN id DROP IDENTITY")
        yield
        new = f"{self.table}_id_seq"
        self.execute(f"CREATE SEQUENCE {new} AS bigint OWNED BY {self.table}.id")
        self._rows("SELECT setval(%s, %s, %s)", [new, last, is_called])
        default = f"SET DEFAULT nextval('{new}'::regclass)"
        self.execute(f"ALTER TABLE {self.table} ALTER COLUMN id {default}")

    def _grant(self, rights: list[tuple[Any, ...]]) -> None:
        """Give the roles of the programs their rights on the table, and none on the partition."""
        for role, privileges in rights:
            self.execute(f"GRANT {privileges} ON {self.table} TO {role}")
            self.execute(f"GRANT USAGE ON SEQUENCE {self.table}_id_seq TO {role}")
            self.execute(f"REVOKE ALL ON {self.former} FROM {role}")

    def _add(self, constraint: str) -> None:
        self.execute(f"ALTER TABLE {self.table} ADD CONSTRAINT {constraint}")

    def execute(self, statement: str) -> None:
        """Execute a statement."""
        with self.connection.cursor() as cursor:
            cursor.execute(statement)

    def _rows(self, query: str, values: list[Any] | None = None) -> list[tuple[Any, ...]]:
        with self.connection.cursor() as cursor:
            cursor.execute(query, values)
            return list(cursor.fetchall())

    def _value(self, query: str, values: list[Any]) -> Any:
        found = self._rows(query, values)
        return found[0][0] if found else None

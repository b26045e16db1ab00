"""Partitions of a table by month, on PostgreSQL: new months, the state, and detaching old months.

The partition key is a column of times; months are those of UTC. A default partition takes rows of
months that have no partition. Only the owner of the table can add or detach partitions. Every
partition has the triggers of its table: those of the table do not fire for statements on a
partition. On SQLite the table is not partitioned: there are no partitions to list or to add.
"""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime

from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper

LOCK_SECONDS = 0.5  # for each of three tables: requests that queue behind them must outlast it
MAX_WAIT = f"SET LOCAL lock_timeout = '{LOCK_SECONDS * 1000:.0f}ms'"
BOUNDS = re.compile(
    r"FOR VALUES FROM \((?:'(?P<first>[^']+)'|MINVALUE)\) TO \('(?P<until>[^']+)'\)"
)
PARTITIONS = """
SELECT relname, pg_get_expr(relpartbound, pg_class.oid)
FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
WHERE inhparent = to_regclass(%s) AND relispartition ORDER BY relname
"""
OWNED = "SELECT pg_has_role(relowner, 'MEMBER') FROM pg_class WHERE oid = to_regclass(%s)"
TRIGGERS = """
SELECT pg_get_triggerdef(oid) FROM pg_trigger
WHERE tgrelid = to_regclass(%s) AND NOT tgisinternal ORDER BY tgname
"""


@dataclass(frozen=True)
class Partition:
    """A partition of the times from `first` to before `until`; the default one has neither.

    `first` is None too for the partition of all times before `until`.
    """

    name: str
    first: datetime | None
    until: datetime | None

    @property
    def is_default(self) -> bool:
        """Return whether this partition takes the rows that no other partition takes."""
        return self.until is None


def list_partitions(connection: BaseDatabaseWrapper, table: str) -> list[Partition]:
    """Return the partitions in the order of their times, the default one last.

    Empty on SQLite, and for a table without partitions.
    """
    if connection.vendor != "postgresql":
        return []
    with connection.cursor() as cursor:
        cursor.execute(PARTITIONS, [table])
        found = [_partition(name, bounds) for name, bounds in cursor.fetchall()]
    earliest, latest = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
    return sorted(found, key=lambda one: (one.until or latest, one.first or earliest))


def is_owned(connection: BaseDatabaseWrapper, table: str) -> bool:
    """Return whether the role of the connection may add and detach partitions."""
    if connection.vendor != "postgresql":
        return False
    with connection.cursor() as cursor:
        cursor.execute(OWNED, [table])
        found = cursor.fetchone()
    return bool(found and found[0])


def has_rows(connection: BaseDatabaseWrapper, partition: Partition) -> bool:
    """Return whether a partition has any row."""
    with connection.cursor() as cursor:
        name = connection.ops.quote_name(partition.name)
        cursor.execute(f"SELECT EXISTS (SELECT 1 FROM {name})")  # noqa: S608 - a quoted name
        return bool(cursor.fetchone()[0])


def add_months(
    connection: BaseDatabaseWrapper, table: str, column: str, *, through: date
) -> list[str]:
    """Make the missing partitions through the month of a day; return their names.

    Partitions are added after the last month that has one, each in a transaction of its own. Rows
    of these months move out of the default partition, which is locked exclusively for that.
    Raises: OperationalError if a lock is not free within LOCK_SECONDS: call it again to go on.
    """
    bounds = [one.until for one in list_partitions(connection, table) if one.until]
    made: list[str] = []
    if not bounds:
        return made
    first = max(bounds)
    while first.date() <= through:
        until = months_from(first, 1)
        made.append(_add(connection, table, column, first, until))
        first = until
    return made


def detach(connection: BaseDatabaseWrapper, table: str, partition: Partition) -> None:
    """Make a partition a table of its own; call it in a transaction.

    Not CONCURRENTLY: PostgreSQL refuses that while there is a default partition. The table is
    locked until the transaction ends, so end it at once.
    Raises: OperationalError if the lock is not free within LOCK_SECONDS.
    """
    quote = connection.ops.quote_name
    with connection.cursor() as cursor:
        cursor.execute(MAX_WAIT)
        cursor.execute(f"ALTER TABLE {quote(table)} DETACH PARTITION {quote(partition.name)}")


def copy_triggers(connection: BaseDatabaseWrapper, table: str, partition: str) -> None:
    """Give a partition the triggers that its table has and it lacks."""
    quote = connection.ops.quote_name
    with connection.cursor() as cursor:
        cursor.execute(TRIGGERS, [partition])
        there = {_on(text, partition, "") for (text,) in cursor.fetchall()}
        cursor.execute(TRIGGERS, [table])
        for (text,) in cursor.fetchall():
            if _on(text, table, "") not in there:
                cursor.execute(_on(text, table, quote(partition)))


def months_from(at: datetime, months: int) -> datetime:
    """Return the first moment, in UTC, of the month that is `months` after that of `at`.

    `months` may be negative.
    """
    utc = at.astimezone(UTC)
    month = utc.year * 12 + utc.month - 1 + months
    return datetime(month // 12, month % 12 + 1, 1, tzinfo=UTC)


def _partition(name: str, bounds: str) -> Partition:
    found = BOUNDS.fullmatch(bounds)
    if found is None:
        return Partition(name, None, None)
    first, until = (_utc(text) if text else None for text in found.group("first", "until"))
    return Partition(name, first, until)


def _utc(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def _add(
    connection: BaseDatabaseWrapper, table: str, column: str, first: datetime, until: datetime
) -> str:
    """Make one partition as a table, fill it, then attach it: that takes weaker locks."""
    quote, name = connection.ops.quote_name, f"{table}_{first:%Y_%m}"
    new, of = quote(name), quote(table)
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        cursor.execute(MAX_WAIT)
        cursor.execute(f"CREATE TABLE {new} (LIKE {of} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)")
        copy_triggers(connection, table, name)
        for waiting in list_partitions(connection, table):
            if waiting.is_default and has_rows(connection, waiting):
                _move(connection, waiting.name, name, column, first, until)
        bounds = f"FOR VALUES FROM ('{first.isoformat()}') TO ('{until.isoformat()}')"
        cursor.execute(f"ALTER TABLE {of} ATTACH PARTITION {new} {bounds}")
    return name


def _move(
    connection: BaseDatabaseWrapper,
    source: str,
    target: str,
    column: str,
    first: datetime,
    until: datetime,
) -> None:
    """Move the rows of a month out of the default partition, whose triggers refuse deletions."""
    quote = connection.ops.quote_name
    old, new, at = quote(source), quote(target), quote(column)
    month = f"{at} >= %s AND {at} < %s"
    with connection.cursor() as cursor:
        cursor.execute(f"LOCK TABLE {old} IN ACCESS EXCLUSIVE MODE")
        select = f"SELECT * FROM {old} WHERE {month}"  # noqa: S608 - quoted names
        cursor.execute(f"INSERT INTO {new} {select}", [first, until])
        cursor.execute(f"ALTER TABLE {old} DISABLE TRIGGER USER")
        cursor.execute(f"DELETE FROM {old} WHERE {month}", [first, until])  # noqa: S608 - the same
        cursor.execute(f"ALTER TABLE {old} ENABLE TRIGGER USER")


def _on(definition: str, table: str, other: str) -> str:
    """Return the definition of a trigger with the table `other` in the place of `table`.

    With an empty `other`, definitions of the same trigger on two tables are equal.
    """
    pattern = rf' ON (?:\w+\.)?"?{re.escape(table)}"? '
    return re.sub(pattern, f" ON {other} ", definition, count=1)

"""Partitions of the access log: new months are made ahead, old ones leave the table as files.

PostgreSQL only; on SQLite the log stays one table. The role that works must own the table: where
the programs own no tables, the owner runs `manage.py tend_access_log`.
"""

import gzip
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import connection, transaction

from banking.models.stored_files import store
from banking.services import stores
from foundation.anchoring.sources import to_line
from foundation.database import partitions
from foundation.database.partitions import Partition, months_from
from foundation.files import Download
from foundation.jobs.registry import Incomplete
from mcp_server.models import AccessLogArchive, AccessLogEntry

TABLE, COLUMN = "mcp_server_accesslogentry", "at"
MONTHS_MADE = 12  # ahead
MONTHS_NEEDED = 3  # ahead; fewer are a fault
ROWS_PER_FILE = 100_000
GZIP = "application/gzip"
COLUMNS = "id, at, connection_id, tool, business_id, outcome, duration_ms, request_id, limits"
HAS_LATER = "SELECT EXISTS (SELECT 1 FROM {table} WHERE id > (SELECT max(id) FROM {partition}))"
ADVICE = "The owner of the tables runs `manage.py tend_access_log`."


def tend(*, at: datetime) -> str:
    """Make the coming partitions and archive old ones; return a sentence about the result.

    Raises: Incomplete if the role does not own the table and a partition is missing or due for the
    archive; OperationalError if a lock was not free: the next call continues; StoreOfAnother.
    """
    if connection.vendor != "postgresql":
        return "the access log is one table on this database"
    if not partitions.is_owned(connection, TABLE):
        return _require_tended(at)
    through = months_from(at, MONTHS_MADE).date()
    made = partitions.add_months(connection, TABLE, COLUMN, through=through)
    archived = [archive(one, at=at) for one in list_old(at=at)]
    return f"made {len(made)} partitions, archived {sum(archived)} rows of {len(archived)}"


def find_faults(*, at: datetime) -> Iterator[str]:
    """Yield faults of the partitions: too few months ahead, or rows in the default partition."""
    found = partitions.list_partitions(connection, TABLE)
    ends = [one.until for one in found if one.until]
    if ends and max(ends) < months_from(at, MONTHS_NEEDED):
        yield f"The access log has no partition from {max(ends):%Y-%m} on."
    # by the table: the programs may have no right to its partitions
    if ends and AccessLogEntry.objects.filter(at__gte=max(ends)).exists():
        yield "The access log has rows of months without a partition."


def list_old(*, at: datetime) -> list[Partition]:
    """Return the partitions that are older than ACCESS_LOG_MONTHS; empty if that setting is 0."""
    if not settings.ACCESS_LOG_MONTHS:
        return []
    before = months_from(at, -settings.ACCESS_LOG_MONTHS)
    found = partitions.list_partitions(connection, TABLE)
    return [one for one in found if one.until and one.until <= before]


def archive(partition: Partition, *, at: datetime) -> int:
    """Write the rows of a partition to files, then detach and drop it; return the number of rows.

    Each file is read back and verified before the partition is detached. Reads of the table do not
    wait until then. The partition with the newest id stays, because anchors continue after this id:
    the number returned is 0.
    Raises: StoreOfAnother, OperationalError.
    """
    stores.require_own()
    name = connection.ops.quote_name(partition.name)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(partitions.MAX_WAIT)
        cursor.execute(f"LOCK TABLE {name} IN SHARE ROW EXCLUSIVE MODE")
        cursor.execute(HAS_LATER.format(table=TABLE, partition=name))
        if cursor.fetchone() == (False,) and partitions.has_rows(connection, partition):
            return 0
        rows = sum(_write(partition, lines, at=at) for lines in _read(name))
        partitions.detach(connection, TABLE, partition)
        cursor.execute(f"DROP TABLE {name}")
    return rows


def _require_tended(at: datetime) -> str:
    faults = [*find_faults(at=at)]
    if old := list_old(at=at):
        faults.append(f"{len(old)} partitions of the access log are due for the archive.")
    if faults:
        raise Incomplete(" ".join([*faults, ADVICE]))
    return "the access log has the partitions that it needs"


def _read(name: str) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the rows of a table by id, in lists of ROWS_PER_FILE."""
    with connection.chunked_cursor() as cursor:
        cursor.execute(f"SELECT {COLUMNS} FROM {name} ORDER BY id")  # noqa: S608 - a quoted name
        while rows := cursor.fetchmany(ROWS_PER_FILE):
            yield rows


def _write(partition: Partition, rows: list[tuple[Any, ...]], *, at: datetime) -> int:
    first, last = rows[0][0], rows[-1][0]
    content = gzip.compress(b"".join(to_line(row) + b"\n" for row in rows), mtime=0)
    file = store(Download(GZIP, f"access-log-{first}-{last}.jsonl.gz", content))
    archived = AccessLogArchive.objects.create(
        **file,
        partition=partition.name,
        first_id=first,
        last_id=last,
        row_count=len(rows),
        archived_at=at,
    )
    with archived.open_file() as opened:  # verifies the hash of what the store has
        opened.read()
    return len(rows)

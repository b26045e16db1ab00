"""Connections to PostgreSQL: how many the programs hold at most, and whether that is too many."""

from dataclasses import dataclass

from django.conf import settings
from django.db import connection

from config.status import PARTS

WATCHERS = 1  # connection of each web process, for the thread that measures the replica's lag
METERS = sum(part.asks_database for part in PARTS.values())  # connections of a worker's metrics
USABLE = """
    SELECT sum(setting::integer * CASE name WHEN 'max_connections' THEN 1 ELSE -1 END)
    FROM pg_settings
    WHERE name IN ('max_connections', 'superuser_reserved_connections', 'reserved_connections')
"""
Line = tuple[str, int, str]  # the kind of program, its connections to the primary, their sum


@dataclass(frozen=True)
class Machines:
    """Numbers of running programs, and of connections reserved for `others`: commands, backups."""

    web: int
    workers: int
    beats: int
    others: int


def lines_of(machines: Machines) -> list[Line]:
    """Return for each kind of program its name, the most connections it holds, and their formula.

    The numbers of threads and processes are the settings of this process.
    """
    watchers = WATCHERS if settings.DATABASE_REPLICA else 0
    processes, each = settings.WEB_WORKERS, settings.WEB_THREADS + watchers
    threads = settings.CELERY_WORKER_CONCURRENCY
    meters = METERS if settings.METRICS_PORT else 0
    of_worker = f"{threads} WORKER_THREADS"
    if meters:
        of_worker = f"({of_worker} + {meters} for the metrics)"
    shown = f"{settings.WEB_THREADS} WEB_THREADS"
    if watchers:
        shown = f"({shown} + {watchers} for the replica)"
    web = f"{machines.web} * {processes} WEB_WORKERS * {shown}"
    return [
        ("web", machines.web * processes * each, web),
        ("workers", machines.workers * (threads + meters), f"{machines.workers} * {of_worker}"),
        ("beat", machines.beats, f"{machines.beats} * 1"),
        ("others", machines.others, "commands, migrations, backups, monitoring"),
    ]


def usable_connections() -> int:
    """Return the number of connections that PostgreSQL has for users without superuser rights."""
    with connection.cursor() as cursor:
        cursor.execute(USABLE)
        return int(cursor.fetchone()[0])


def fits(clients: int, usable: int, machines: Machines, *, pool: int | None) -> bool:
    """Return whether the server's `usable` connections are enough.

    Without a pooler (None) it needs one for each of the `clients`; with a pooler, its `pool` and
    those of `machines.others`.
    """
    return (clients if pool is None else pool + machines.others) <= usable


def verdict(clients: int, usable: int, machines: Machines, *, pool: int | None) -> str:
    """Return a sentence that says whether the connections fit, or what to change."""
    programs = clients - machines.others
    if pool is not None:
        held = pool + machines.others
        least = f"Let the pooler take {programs:,} connections of programs (max_client_conn)"
        if held <= usable:
            return f"{least}; it holds {pool:,} of the server's {usable:,}."
        return f"{least}, and open {usable - machines.others:,} at most (default_pool_size)."
    if clients <= usable:
        return f"They fit: {usable - clients:,} are left."
    reserved = 5  # for superusers
    return (
        f"{clients - usable:,} are missing: set max_connections to {clients + reserved:,} or more, "
        "lower WORKER_THREADS or WEB_THREADS, or put pgbouncer between "
        "(docs/production/pgbouncer.ini) and give --pool."
    )

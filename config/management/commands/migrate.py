"""`manage.py migrate`: Django's command with a lock timeout, so that no request queues."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import OperationalError, connections
from django.db.backends.base.base import BaseDatabaseWrapper

LOCK_SECONDS = 0.5  # less than web's: requests that queue behind a try must outlast it
PAUSES = [2.0, 4.0, 8.0, 15.0, *[30.0] * 10]  # seconds, for statements that queued behind a try
LOCK_NOT_AVAILABLE = "55P03"  # Source: PostgreSQL, appendix A
HOLDERS = """
SELECT relation::regclass::text, pid, application_name,
    extract(epoch FROM clock_timestamp() - xact_start)::int
FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE granted AND locktype = 'relation' AND pid <> pg_backend_pid()
    AND relation IN (SELECT to_regclass(quote_ident(name)) FROM unnest(%s::text[]) name)
    AND datname = current_database()
GROUP BY relation, pid, application_name, xact_start
ORDER BY xact_start, relation
"""


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate; retry after growing pauses while a table is locked. Raises: CommandError."""
        connection = connections[options["database"]]
        if connection.vendor != "postgresql":
            super().handle(*args, **options)
            return
        for pause in [*PAUSES, None]:
            with lock_limit(connection), failed_statement(connection) as failed:
                try:
                    super().handle(*args, **options)
                except OperationalError as exc:
                    if getattr(exc.__cause__, "sqlstate", "") != LOCK_NOT_AVAILABLE:
                        raise
                else:
                    return
                waited_for = describe_lock(connection, failed[-1] if failed else "COMMIT")
            if pause is None:
                break
            self.stderr.write(f"{waited_for} The next try is in {pause:.0f} s.")
            time.sleep(pause)
        raise CommandError(
            f"{waited_for} That is try {len(PAUSES) + 1}, the last one. What went before is "
            "migrated: end the long transaction (pg_stat_activity shows it) and migrate again."
        )


@contextmanager
def lock_limit(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """Set lock_timeout to LOCK_SECONDS on a connection, and reset it afterwards."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET lock_timeout = '{LOCK_SECONDS * 1000:.0f}ms'")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET lock_timeout")


@contextmanager
def failed_statement(connection: BaseDatabaseWrapper) -> Iterator[list[str]]:
    """Yield a list that takes each statement that raises OperationalError."""
    failed: list[str] = []

    def note(execute: Callable[..., Any], sql: str, *arguments: Any) -> Any:
        try:
            return execute(sql, *arguments)
        except OperationalError:
            failed.append(sql)
            raise

    with connection.execute_wrapper(note):
        yield failed


def describe_lock(connection: BaseDatabaseWrapper, statement: str) -> str:
    """Return a sentence on the table that a statement waited for and the processes using it."""
    with connection.cursor() as cursor:
        cursor.execute(HOLDERS, [sorted(set(re.findall(r"\w+", statement)))])
        holders = [
            f"{table} is in use by process {pid} ({program or 'unnamed'}), for {seconds} s"
            for table, pid, program, seconds in cursor.fetchall()
        ]
    shown = " ".join(statement.split())[:100]
    return f"{'; '.join(holders) or 'A table was in use'}. It waited {LOCK_SECONDS} s: {shown}."

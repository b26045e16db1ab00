"""`manage.py migrate`: Django's command with a lock timeout, so that no request queues."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import OperationalError, connections

LOCK_SECONDS = 2
MAX_TRIES = 15
PAUSE_SECONDS = 4.0  # time for statements that queued behind a try
LOCK_NOT_AVAILABLE = "55P03"  # Source: PostgreSQL, appendix A


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate; retry after a pause if a table is locked. Raises: CommandError."""
        with lock_limit(options["database"]):
            for _ in range(MAX_TRIES):
                try:
                    super().handle(*args, **options)
                except OperationalError as exc:
                    if getattr(exc.__cause__, "sqlstate", "") != LOCK_NOT_AVAILABLE:
                        raise
                else:
                    return
                self.stderr.write(f"A table is in use. The next try is in {PAUSE_SECONDS:.0f} s.")
                time.sleep(PAUSE_SECONDS)
        raise CommandError(
            f"A table stayed in use through {MAX_TRIES} tries. What went before is migrated; "
            "end the long transaction (pg_stat_activity shows it) and migrate again."
        )


@contextmanager
def lock_limit(alias: str) -> Iterator[None]:
    """Set lock_timeout to LOCK_SECONDS on a connection to PostgreSQL, and reset it afterwards."""
    connection = connections[alias]
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute(f"SET lock_timeout = '{LOCK_SECONDS}s'")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET lock_timeout")

"""`manage.py migrate`: Django's, which lets nothing queue behind a table that it waits for."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import OperationalError, connections

LOCK_SECONDS = 2
MAX_TRIES = 15
PAUSE_SECONDS = 4.0  # seconds, in which what queued behind a try is answered
LOCK_NOT_AVAILABLE = "55P03"  # Source: PostgreSQL, appendix A


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate; where a table is locked, let others pass and try again."""
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
    """Wait at most LOCK_SECONDS for a lock on this connection of PostgreSQL."""
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

"""Committed ids: up to which id no running transaction can add a row to a table any more.

PostgreSQL gives ids out before rows are committed, so a row may appear below the highest visible
id. A transaction that inserts holds a lock on the table from before it gets an id until its end.
SQLite has one writer at a time: ids appear in their order.
"""

import time
from collections.abc import Sequence

from django.db import connection
from django.db.models import Max, Model, QuerySet

PAUSE_SECONDS = 0.1
MAX_WAIT_SECONDS = 120.0
WRITERS = """
    SELECT DISTINCT virtualtransaction FROM pg_locks
    WHERE locktype = 'relation' AND mode = 'RowExclusiveLock' AND granted
        AND pid IS DISTINCT FROM pg_backend_pid()
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND relation = ANY(%s::regclass[])
"""


class StillWriting(Exception):
    """A transaction that writes to one of the tables did not end in time."""


def newest(models: Sequence[type[Model]], *, seconds: float = MAX_WAIT_SECONDS) -> list[int]:
    """Return per model an id up to which its rows are complete; 0 for an empty table.

    Waits until the transactions that write to the tables now have ended. Must not run in a
    transaction that others wait for. Raises: StillWriting if they last longer than `seconds`.
    """
    ids = [QuerySet(model).aggregate(newest=Max("pk"))["newest"] or 0 for model in models]
    if connection.vendor == "postgresql":
        _wait_for_writers([model._meta.db_table for model in models], seconds)
    return ids


def _wait_for_writers(tables: list[str], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    running = _writers(tables)
    while running:
        if time.monotonic() > deadline:
            raise StillWriting(f"transactions have written to {', '.join(tables)} for {seconds} s")
        time.sleep(PAUSE_SECONDS)
        running &= _writers(tables)


def _writers(tables: list[str]) -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(WRITERS, [tables])
        return {row[0] for row in cursor.fetchall()}

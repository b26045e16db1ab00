"""Exclusion: one anchoring at a time. Two at once would write two anchors of one number."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection

LOCK = 7_210_455_002  # key of the advisory lock on PostgreSQL
TRY_LOCK = "SELECT pg_try_advisory_xact_lock(%s)"


@contextmanager
def alone(key_file: Path) -> Iterator[bool]:
    """Yield True and keep other anchorings out of the block, or yield False if one runs already.

    On PostgreSQL the lock is that of the database, held by the transaction of a connection of its
    own, so that it also holds behind a pool of connections. Otherwise it is that of the key file.
    """
    if connection.vendor != "postgresql":
        with key_file.open("rb") as opened:
            try:
                fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
            else:
                yield True
        return
    other = connection.copy()
    try:
        other.set_autocommit(False)
        with other.cursor() as cursor:
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            cursor.execute(TRY_LOCK, [LOCK])
            (is_free,) = cursor.fetchone()
        yield bool(is_free)
    finally:
        other.close()

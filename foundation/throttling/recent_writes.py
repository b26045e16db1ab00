"""Recent writes: callers who wrote a moment ago read from the primary, to see their own change.

A writer is named by its kind and key, such as `partner:7`. A write is noted after its commit: of a
program in a row of the rate limits, which the statement that counts the next call reads, too
(`rate_limits.spend`), and of a user of pages in the session. Nothing is noted without a replica.
"""

from collections.abc import MutableMapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import DatabaseError, connection

from foundation.database import prepared_statements

CLOCKS = timedelta(seconds=2)  # tolerated difference between the clocks of two machines
IN_SESSION = "wrote_at"  # seconds since 1970
NOTE = """
    INSERT INTO {table} (subject, count, expires_at) VALUES (%s, 1, %s)
    ON CONFLICT (subject) DO UPDATE SET expires_at = excluded.expires_at
"""


def note(writer: str, *, at: datetime) -> None:
    """Note that a writer wrote. If the note fails, the writer's next read may miss the change."""
    if not settings.DATABASE_REPLICA:
        return
    table = apps.get_model(settings.RATE_WINDOW_MODEL)._meta.db_table
    end = connection.ops.adapt_datetimefield_value(at + _period())
    with suppress(DatabaseError):
        prepared_statements.execute(NOTE.format(table=table), [subject_of(writer), end])


def note_in_session(session: MutableMapping[str, Any], *, at: datetime) -> None:
    """Note in a session that its user wrote."""
    if settings.DATABASE_REPLICA:
        session[IN_SESSION] = at.timestamp()


def is_in_session(session: MutableMapping[str, Any], *, at: datetime) -> bool:
    """Return whether the user of a session wrote a moment ago."""
    wrote_at: float = session.get(IN_SESSION, 0.0)
    return at.timestamp() - wrote_at < _period().total_seconds()


def subject_of(writer: str) -> str:
    """Return the subject of a writer's row."""
    return f"wrote:{writer}"


def _period() -> timedelta:
    """Return for how long after a write the replica may lack the change."""
    return timedelta(seconds=settings.REPLICA_LAG_SECONDS) + CLOCKS

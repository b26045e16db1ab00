"""Who wrote a moment ago: a read from a replica could miss their own change.

A writer is named by its kind and key, such as `partner:7`. A write is noted once it has committed,
in a row of the rate limits, so that the statement that counts a read tells of it
(`rate_limits.spend`), or in the session of a page, which is read and saved anyway.
Nothing is noted without a replica.
"""

from collections.abc import MutableMapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import DatabaseError, connection

from foundation.database import prepared_statements

CLOCKS = timedelta(seconds=2)  # that the clocks of two machines may be apart
IN_SESSION = "wrote_at"  # seconds since 1970
NOTE = """
    INSERT INTO {table} (subject, count, expires_at) VALUES (%s, 1, %s)
    ON CONFLICT (subject) DO UPDATE SET expires_at = excluded.expires_at
"""


def note(writer: str, *, at: datetime) -> None:
    """Note that somebody wrote. If that fails, a read of theirs may miss the change."""
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
    """Return how long after a write a replica that is read from may lack it."""
    return timedelta(seconds=settings.REPLICA_LAG_SECONDS) + CLOCKS

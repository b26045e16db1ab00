"""Read timestamps: those of PostgreSQL fast, those of SQLite with their zone."""

from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from foundation.database.django_internals import BaseTzLoader


class TimestampLoader(BaseTzLoader):  # type: ignore[misc]  # the stubs do not have it
    """Reads `timestamptz` values of a connection whose time zone is UTC, as Django sets it."""

    timezone = UTC  # an attribute that Django reads

    def load(self, data: Any) -> datetime:
        """Return a datetime in UTC.

        Raises: psycopg.DataError for infinity and for years before 1 or after 9999.
        """
        text = bytes(data)
        if text.endswith(b"+00"):
            with suppress(ValueError):
                return datetime.fromisoformat(text.decode())
        timestamp: datetime = super().load(data)
        return timestamp


def aware(timestamp: datetime) -> datetime:
    """Return a timestamp from raw SQL with its time zone: UTC on SQLite, which stores none."""
    return timestamp if timestamp.tzinfo else timestamp.replace(tzinfo=UTC)

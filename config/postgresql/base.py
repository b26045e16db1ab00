"""The database backend: Django's, with a deadline, and a cheaper test of kept connections."""

import functools
import select
from typing import Any

import psycopg
from django.db.backends.postgresql import base
from psycopg.pq import TransactionStatus


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection that is tested before the first statement of each request.

    With the option `answer_seconds` it waits no longer than that for each answer of the server.
    """

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Connect. Raises: OperationalError."""
        seconds = conn_params.pop("answer_seconds", None)
        connection = super().get_new_connection(conn_params)
        if seconds:
            connection.wait = functools.partial(_wait, connection, seconds)
        return connection

    def is_usable(self) -> bool:
        """Say whether the server still serves the connection.

        One that it closed, as when it restarts, has something to read; an idle one that has
        nothing is not asked, which spares each request a round trip.
        """
        if self.connection is None or self.connection.closed:
            return False
        waiting = select.poll()
        waiting.register(self.connection.fileno(), select.POLLIN)
        is_idle = self.connection.info.transaction_status == TransactionStatus.IDLE
        return (is_idle and not waiting.poll(0)) or bool(super().is_usable())


def _wait(connection: psycopg.Connection[Any], seconds: float, gen: Any, **options: Any) -> Any:
    """Wait for an answer; close a connection whose server gives none in time.

    Raises: OperationalError.
    """
    try:
        return psycopg.Connection.wait(connection, gen, **{"timeout": seconds, **options})
    except psycopg.OperationalError:
        if connection.info.transaction_status == TransactionStatus.ACTIVE:
            connection.close()
        raise

"""The database backend: Django's, with a deadline, and a cheaper test of kept connections."""

import functools
import select
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from django.db.backends.postgresql import base
from psycopg.pq import TransactionStatus

from config import database_limits


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection that is tested before the first statement of each request.

    With the option `answer_seconds` it waits no longer than that for each answer of the server.
    """

    answer_seconds: float | None = None

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Connect. Raises: OperationalError."""
        self.answer_seconds = conn_params.pop("answer_seconds", None)
        connection = super().get_new_connection(conn_params)
        if self.answer_seconds:
            connection.wait = functools.partial(self._wait, connection)
        return connection

    @contextmanager
    def waiting_for(self, statement_seconds: int) -> Iterator[None]:
        """Wait for the answers to statements whose `statement_timeout` the block sets to this."""
        usual = self.answer_seconds
        try:
            self.answer_seconds = usual and database_limits.answer_seconds(statement_seconds)
            yield
        finally:
            self.answer_seconds = usual

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

    def _wait(self, connection: psycopg.Connection[Any], gen: Any, **options: Any) -> Any:
        """Wait for an answer; close a connection whose server gives none in time.

        Raises: OperationalError.
        """
        limit = {"timeout": self.answer_seconds, **options}
        try:
            return psycopg.Connection.wait(connection, gen, **limit)
        except psycopg.OperationalError:
            if connection.info.transaction_status == TransactionStatus.ACTIVE:
                connection.close()
            raise

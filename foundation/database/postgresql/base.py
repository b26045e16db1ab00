"""A connection with deadlines, a cheaper check of kept connections, and faster timestamps."""

import functools
import select
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC
from typing import Any

import psycopg
from django.db.backends.postgresql import base
from psycopg.pq import TransactionStatus

from foundation.database.deadlines import answer_seconds
from foundation.database.timestamps import TimestampLoader
from foundation.metrics import declared as metrics


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection to PostgreSQL.

    The option `answer_seconds` limits how long it waits for the answer to each statement.
    """

    answer_seconds: float | None = None

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Connect. Raises: OperationalError."""
        self.answer_seconds = conn_params.pop("answer_seconds", None)
        connection = super().get_new_connection(conn_params)
        if self.answer_seconds:
            connection.wait = functools.partial(self._wait, connection)
        if self.timezone == UTC:
            connection.adapters.register_loader("timestamptz", TimestampLoader)
        metrics.DATABASE_CONNECTIONS.add(1)
        return connection

    def _close(self) -> None:
        metrics.DATABASE_CONNECTIONS.add(-1)
        super()._close()  # type: ignore[misc]  # not in stubs

    @contextmanager
    def waiting_for(self, statement_seconds: int) -> Iterator[None]:
        """Wait for answers as long as a block needs that sets `statement_timeout` itself.

        Units: `statement_seconds` is that timeout in seconds.
        """
        usual = self.answer_seconds
        try:
            self.answer_seconds = usual and answer_seconds(statement_seconds)
            yield
        finally:
            self.answer_seconds = usual

    def is_usable(self) -> bool:
        """Return whether the server still serves the connection.

        A connection that the server closed has something to read. An idle one without anything to
        read is usable, which spares each request the round trip of a query.
        """
        if self.connection is None or self.connection.closed:
            return False
        waiting = select.poll()
        waiting.register(self.connection.fileno(), select.POLLIN)
        is_idle = self.connection.info.transaction_status == TransactionStatus.IDLE
        return (is_idle and not waiting.poll(0)) or bool(super().is_usable())

    def _wait(self, connection: psycopg.Connection[Any], gen: Any, **options: Any) -> Any:
        """Wait for an answer. Close the connection if none comes in time.

        Raises: OperationalError.
        """
        limit = {"timeout": self.answer_seconds, **options}
        try:
            return psycopg.Connection.wait(connection, gen, **limit)
        except psycopg.OperationalError:
            if connection.info.transaction_status == TransactionStatus.ACTIVE:
                connection.close()
            raise

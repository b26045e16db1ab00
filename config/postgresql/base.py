"""The database backend: Django's, which asks the server only where something is amiss."""

import select

from django.db.backends.postgresql import base
from psycopg.pq import TransactionStatus


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection that is tested before the first statement of each request."""

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

"""How many seconds a replica is behind the primary, which decides whether it is read.

A thread compares the positions of both in the write-ahead log once a second.
"""

import logging
import math
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, Error, connections

from foundation.metrics import instruments
from foundation.metrics.declared import REPLICA_LAG, REPLICA_LEFT_OUT

logger = logging.getLogger(__name__)
LOOK_SECONDS = 1.0  # between two looks at the positions
IDLE_SECONDS = 60.0  # without a read, after which the thread ends
MOST_POSITIONS = 600  # kept positions of the primary that the replica has not reached
DATABASE = """(SELECT system_identifier || '/' || oid
    FROM pg_control_system(), pg_database WHERE datname = current_database())"""
PRIMARY = f"SELECT {DATABASE}, pg_current_wal_insert_lsn() - '0/0'"
REPLICA = f"""
    SELECT {DATABASE}, CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() - '0/0' END
"""


class NoReplica(Exception):
    """The server is no standby of the primary."""


class Watcher:
    """Watches how far the replica is behind, by a thread that compares positions once a second.

    The replica has all changes of a moment once it has replayed the position that the primary's
    log had then, also if the primary is idle or the replica receives nothing. Requests never wait
    for the thread, which starts at the first read and ends after IDLE_SECONDS without a read.
    With metrics it starts with the process by `start`, does not end, and sets the metrics.
    """

    def __init__(self, open_connection: Callable[[dict[str, Any]], Any]) -> None:
        self._open = open_connection
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._asked_at = self._complete_at = -math.inf  # of the monotonic clock
        self._fault = ""

    def is_near(self) -> bool:
        """Return whether the replica is at most REPLICA_LAG_SECONDS behind, as measured last.

        Starts the thread that measures, unless it runs.
        """
        self._asked_at = time.monotonic()
        self.start()
        return self._asked_at - self._complete_at <= settings.REPLICA_LAG_SECONDS

    def distrust(self) -> None:
        """Read nothing from the replica until the next successful comparison."""
        self._complete_at = -math.inf

    def start(self) -> None:
        """Start the thread, unless it runs."""
        if self._thread is not None and self._thread.is_alive():
            return
        with self._starting:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._watch, daemon=True)
                self._thread.start()

    def _watch(self) -> None:
        primary = self._open(connections.settings[DEFAULT_DB_ALIAS])
        replica = self._open(settings.DATABASE_REPLICA)
        positions: deque[tuple[float, int]] = deque(maxlen=MOST_POSITIONS)
        try:
            while instruments.are_counting() or time.monotonic() - self._asked_at < IDLE_SECONDS:
                self._look(primary, replica, positions)
                self._measure()
                time.sleep(LOOK_SECONDS)
        finally:
            primary.close()
            replica.close()

    def _look(self, primary: Any, replica: Any, positions: deque[tuple[float, int]]) -> None:
        now = time.monotonic()
        try:
            server, position = ask(primary, PRIMARY)
            positions.append((now, position))
            of_server, replayed = ask(replica, REPLICA)
            if replayed is None or of_server != server:
                raise NoReplica("it is no standby of the primary")
        except (Error, NoReplica) as exc:
            self.distrust()
            self._tell(f"away: {exc}")
            return
        while positions and positions[0][1] <= replayed:
            self._complete_at, _ = positions.popleft()
        is_late = time.monotonic() - self._complete_at > settings.REPLICA_LAG_SECONDS
        self._tell("too far behind" if is_late and len(positions) > 1 else "")

    def _measure(self) -> None:
        lag = time.monotonic() - self._complete_at
        REPLICA_LAG.set(lag)
        REPLICA_LEFT_OUT.set(lag > settings.REPLICA_LAG_SECONDS)

    def _tell(self, fault: str) -> None:
        """Log that the replica is left out, once, and when it is read from again."""
        if fault and not self._fault:
            logger.warning("the replica is left out: it is %s", fault)
        elif self._fault and not fault:
            logger.warning("the replica is read from again")
        self._fault = fault


def ask(connection: Any, query: str) -> tuple[Any, Any]:
    """Return the identity of the database server and its position in the log.

    The position is None if a replica's server is not a standby.
    """
    connection.close_if_unusable_or_obsolete()
    with connection.cursor() as cursor:
        cursor.execute(query)
        server, position = cursor.fetchone()
    return server, None if position is None else int(position)

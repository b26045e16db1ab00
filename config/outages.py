"""Outages of the database and the broker, logged once at their begin and once at their end.

Each thread and each try of a program would log the same error with a traceback. The filter on the
handler of all logs drops these records; `begin` and `end` write the two lines in their place.
"""

import logging
import sys
import threading
import time
from typing import Any

from django.db import DEFAULT_DB_ALIAS, InterfaceError, OperationalError, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.dispatch import receiver

logger = logging.getLogger(__name__)

# SQLSTATEs of a server that takes no connection; a lost or refused connection has None.
# Source: PostgreSQL, Appendix A: connection exceptions, too many connections, shutdown
AWAY = ("08", "53300", "57P")
BROKER_MODULES = {"kombu", "redis", "amqp"}
BROKER_ERRORS = ("ConnectionError", "TimeoutError", "OperationalError", "ConnectionForced")
BROKER_LINES = (  # of Celery, without a traceback
    "consumer: Cannot connect to",
    "consumer: Connection to broker lost",
    "beat: Connection error",
)
BROKER_LOGGERS = ("celery.worker.", "celery.beat", "kombu.")  # no task of ours logs here
LATE_LINES = ("Couldn't ack ", "Couldn't reject ")  # of kombu
BROKER_WARNING = "CPendingDeprecationWarning: "  # ten lines of advice per lost connection


class Outage:
    """The outage of a component as this process sees it."""

    def __init__(self, component: str, level: int) -> None:
        self.component, self.level = component, level
        self._since: float | None = None
        self._lock = threading.Lock()

    def begin(self, fault: str) -> None:
        """Log that the component is away, unless that was logged."""
        with self._lock:
            is_new = self._since is None
            self._since = time.monotonic() if self._since is None else self._since
        if is_new:
            logger.log(self.level, "the %s is away: %s", self.component, fault)

    def end(self) -> None:
        """Log that the component is back, and after how long, if it was away."""
        if self._since is None:  # the usual case takes no lock
            return
        with self._lock:
            since, self._since = self._since, None
        if since is not None:
            seconds = time.monotonic() - since
            logger.warning("the %s is back after %.1f s", self.component, seconds)


database = Outage("database", logging.CRITICAL)
broker = Outage("broker", logging.ERROR)


@receiver(connection_created)
def _end_outage(connection: BaseDatabaseWrapper, **_values: object) -> None:
    """End the outage of the database. A connection to the replica does not end it."""
    if connection.settings_dict is connections.settings[DEFAULT_DB_ALIAS]:
        database.end()


class OutageFilter(logging.Filter):
    """Drops log records that report an outage, and begins the outage.

    The record of a request is kept without its traceback.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the record is logged."""
        if _is_late(record):
            return False
        found = _outage_of(record)
        if found is None:
            return True
        outage, fault = found
        outage.begin(fault)
        if isinstance(record.msg, dict):  # of structlog: the line of a request
            record.msg = {name: item for name, item in record.msg.items() if name != "exc_info"}
            return True
        return False


def _is_late(record: logging.LogRecord) -> bool:
    """Return whether a record says that a message was not acknowledged, since its connection ended.

    RabbitMQ delivers the message again. The consumer may have a new connection already, so the
    record begins no outage; an outage that goes on is told by the consumer itself.
    """
    return isinstance(record.msg, str) and record.msg.startswith(LATE_LINES)


def _outage_of(record: logging.LogRecord) -> tuple[Outage, str] | None:
    """Return the outage that a record tells of, and the fault in a few words."""
    for exc in _chain(_exception(record)):
        if isinstance(exc, (OperationalError, InterfaceError)) and _is_away(exc.__cause__):
            return database, _say(exc)
        is_lost = isinstance(exc, ConnectionError) and record.name.startswith(BROKER_LOGGERS)
        if is_lost or _is_of_broker(exc):
            return broker, _say(exc)
    if record.name == "py.warnings" and BROKER_WARNING in record.getMessage():
        return broker, ""
    if record.name.startswith("celery.") and record.getMessage().startswith(BROKER_LINES):
        faults = [item for item in record.args or () if isinstance(item, Exception)]
        return broker, _say(*faults[:1])
    return None


def _exception(record: logging.LogRecord) -> BaseException | None:
    """Return the exception of a record; structlog keeps it in the event."""
    kept: Any = record.exc_info
    if isinstance(record.msg, dict):
        kept = record.msg.get("exc_info")
    if kept is True:
        kept = sys.exc_info()
    found = kept[1] if isinstance(kept, tuple) else kept
    return found if isinstance(found, BaseException) else None


def _chain(exc: BaseException | None) -> list[BaseException]:
    """Return an exception and its causes, the nearest first."""
    chain: list[BaseException] = []
    while exc is not None and exc not in chain:
        chain.append(exc)
        exc = exc.__cause__ or exc.__context__
    return chain


def _is_away(cause: BaseException | None) -> bool:
    """Return whether psycopg found the server away; a statement's time limit is no outage."""
    if type(cause).__name__ == "InterfaceError":  # a use of a closed cursor is a fault of ours
        return "connection" in str(cause)
    sqlstate = getattr(cause, "sqlstate", "")
    return sqlstate is None or bool(sqlstate and sqlstate.startswith(AWAY))


def _is_of_broker(exc: BaseException) -> bool:
    kind = type(exc)
    is_of_broker = kind.__module__.partition(".")[0] in BROKER_MODULES
    return is_of_broker and kind.__name__.endswith(BROKER_ERRORS)


def _say(*faults: BaseException) -> str:
    return " ".join(str(fault).partition("\n")[0][:200] or type(fault).__name__ for fault in faults)

"""Reads from a replica: a standby of PostgreSQL that streams the changes of the primary.

`read` makes the replica's connection the default connection of the thread while a function runs,
so that the ORM, compiled queries and SQL written by hand read from it alike. A fault of the
replica is never a fault of the caller: the function then runs again on the primary.
Without `settings.DATABASE_REPLICA` nothing is read from a replica.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, TypeVar

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, InterfaceError, OperationalError, connections
from django.db.utils import load_backend

from foundation.database.replica_lag import Watcher
from foundation.metrics import instruments

Result = TypeVar("Result")
AHEAD = 2  # chunks that are read before the first is sent: the header, and a row
END: Any = object()


class _Kept(threading.local):
    """The replica's connection of a thread."""

    connection: Any = None


_kept = _Kept()
_watcher = Watcher(lambda database: open_connection(database))


def watch() -> None:
    """Measure how far the replica is behind from now on, if there is one and metrics are served."""
    if settings.DATABASE_REPLICA and instruments.are_counting():
        _watcher.start()


def read(function: Callable[[], Result], *, wrote: bool) -> Result:
    """Return the result of a function that only reads, from the replica if that is possible.

    The function reads from the primary if `wrote` says that the caller wrote a moment ago and must
    see the change, within a transaction, and while the replica is away or too far behind. After
    any exception on the replica, for example because a row is missing there, the function runs
    again on the primary: it must have no effects that cannot be repeated.
    """
    if not _serves(wrote=wrote):
        return function()
    try:
        with _as_default():
            return function()
    except Exception as exc:  # noqa: BLE001 - the function runs again on the primary
        _note(exc)
    return function()


def stream(begin: Callable[[], Iterator[Result]], *, wrote: bool) -> Iterator[Result]:
    """Yield the chunks of the generator that `begin` returns, read as by `read`.

    After `AHEAD` chunks a fault of the replica is raised: chunks may have been sent by then.
    """
    begun = _begin(begin) if _serves(wrote=wrote) else None
    if begun is None:
        yield from begin()
        return
    ahead, chunks = begun
    try:
        yield from ahead
        while (chunk := _next(chunks)) is not END:
            yield chunk
    finally:
        with _as_default():
            chunks.close()


def _begin(begin: Callable[[], Iterator[Result]]) -> tuple[list[Result], Any] | None:
    """Return the first chunks and the iterator; None if the replica did not give them."""
    chunks: Any = None
    try:
        with _as_default():
            chunks = begin()
            return list(islice(chunks, AHEAD)), chunks
    except Exception as exc:  # noqa: BLE001 - `begin` runs again on the primary
        _note(exc)
        return None


def _next(chunks: Iterator[Result]) -> Result:
    with _as_default():
        return next(chunks, END)


def _serves(*, wrote: bool) -> bool:
    """Return whether the replica may answer this thread now."""
    if wrote or not settings.DATABASE_REPLICA:
        return False
    default = connections[DEFAULT_DB_ALIAS]
    return not default.in_atomic_block and default is not _kept.connection and _watcher.is_near()


@contextmanager
def _as_default() -> Iterator[None]:
    """Make the replica's connection the default connection of this thread in the block."""
    primary, replica = connections[DEFAULT_DB_ALIAS], _connection()
    connections[DEFAULT_DB_ALIAS] = replica
    try:
        yield
    finally:
        connections[DEFAULT_DB_ALIAS] = primary


def _connection() -> Any:
    if _kept.connection is None:
        _kept.connection = open_connection(settings.DATABASE_REPLICA)
    _kept.connection.close_if_unusable_or_obsolete()  # as Django does for each request
    return _kept.connection


def open_connection(database: dict[str, Any]) -> Any:
    """Return a connection under the default alias, not yet connected.

    `database` overrides settings of the default database.
    """
    values = {**connections.settings[DEFAULT_DB_ALIAS], **database}
    return load_backend(values["ENGINE"]).DatabaseWrapper(values, DEFAULT_DB_ALIAS)


def _note(exc: Exception) -> None:
    if isinstance(exc, OperationalError | InterfaceError):
        _watcher.distrust()

"""Processes that read the snapshot of the process that started them.

Only PostgreSQL shares a snapshot. Elsewhere, and inside a transaction, one process does all work.
"""

import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from multiprocessing.pool import ApplyResult, Pool
from typing import Any, Protocol, TypeVar

import django
from django.db import Error, OperationalError, connection

from foundation.database.snapshots import snapshot

Task = TypeVar("Task")
Result = TypeVar("Result")
WAITING_PER_PROCESS = 4  # tasks that are handed out before the first result is collected
_fault = ""  # of this process, which could not join the snapshot


class MapRanges(Protocol):
    """Calls `work` with each task, and yields the items of all its lists, in the tasks' order.

    `work` is a function of a module: it may run in another process.
    """

    def __call__(
        self, work: Callable[[Task], list[Result]], tasks: Iterable[Task]
    ) -> Iterator[Result]: ...


def map_in_turn(work: Callable[[Task], list[Result]], tasks: Iterable[Task]) -> Iterator[Result]:
    """Call `work` with one task after the other in this process, and yield all results."""
    return chain.from_iterable(map(work, tasks))


def default_processes() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def shared_snapshot(processes: int) -> Iterator[MapRanges]:
    """Run the block in a snapshot, and yield a function that maps tasks in so many processes.

    The processes start only if there are more tasks than they take at once.
    `work` and the tasks are pickled.
    """
    is_outermost = not connection.in_atomic_block
    with snapshot():
        if processes < 2 or not is_outermost or connection.vendor != "postgresql":
            yield map_in_turn
            return
        workers = _Workers(processes)
        try:
            yield workers.map
        finally:
            workers.end()


class _Workers:
    """A pool of processes, started when it is needed."""

    def __init__(self, processes: int) -> None:
        self._processes = processes
        self._pool: Pool | None = None

    def map(self, work: Callable[[Task], list[Result]], tasks: Iterable[Task]) -> Iterator[Result]:
        rest, at_once = iter(tasks), WAITING_PER_PROCESS * self._processes
        first = list(islice(rest, at_once))
        if len(first) < at_once:
            yield from map_in_turn(work, first)
            return
        pool = self._start()
        waiting: deque[ApplyResult[list[Result]]] = deque()
        for task in chain(first, rest):
            waiting.append(pool.apply_async(_do, (work, task)))
            if len(waiting) >= at_once:
                yield from waiting.popleft().get()
        for result in waiting:
            yield from result.get()

    def end(self) -> None:
        """Terminate the processes, even if they have not finished."""
        if self._pool:
            self._pool.terminate()
            self._pool.join()

    def _start(self) -> Pool:
        if self._pool is None:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_export_snapshot()")
                (name,) = cursor.fetchone()
            database = {**connection.settings_dict}
            context = multiprocessing.get_context("spawn")  # a fork would share the connection
            self._pool = context.Pool(self._processes, _join, (database, name))
        return self._pool


def _join(database: dict[str, Any], name: str) -> None:
    """Set Django up in a new process, and open a transaction in the snapshot of that name.

    A fault is kept for the first task: the pool would start processes for ever if it were raised.
    """
    global _fault
    django.setup()
    connection.settings_dict.update(database)
    try:
        connection.set_autocommit(False)
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            cursor.execute("SET TRANSACTION SNAPSHOT %s", [name])
    except Error as exc:
        _fault = f"a process could not join the snapshot: {exc}"


def _do(work: Callable[[Task], list[Result]], task: Task) -> list[Result]:
    if _fault:
        raise OperationalError(_fault)
    return work(task)

"""Declare types of background jobs, recurring or on request. `banking.services.jobs` runs them.

A job type is a function under `@job` in the `tasks` or `periodic` module of its app:

    @job("close_months", every=timedelta(days=1))
    def close_months(context: JobContext, *, at: datetime) -> str:
        ...
        return "4 statements were made."
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol, TypeVar

from foundation.files import Download

LEASE = timedelta(minutes=5)
RETENTION = timedelta(days=90)
HEARTBEAT = "heartbeat"  # the type of the job that shows that workers run
EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
JOB_TYPES: dict[str, "JobType"] = {}
Item = TypeVar("Item")


class LeaseLost(Exception):
    """Another worker has claimed the job: the lease ended before the next report of progress."""


class Incomplete(Exception):
    """The job did a part of its work, and a retry cannot do the rest: staff have to look at it.

    The message becomes the job's outcome, so it must not contain personal data.
    """


class JobContext(Protocol):
    """The arguments of a running job, and the methods to report its progress and its file."""

    @property
    def arguments(self) -> dict[str, Any]: ...

    @property
    def private_arguments(self) -> str:
        """Return the argument that is stored encrypted until the job has ended, decrypted."""

    def progress(self, done: int, total: int) -> None:
        """Report the steps done and extend the lease. Must not be called in a transaction.

        A `total` of 0 means unknown. Raises: LeaseLost.
        """

    def attach(self, file: Download) -> None:
        """Keep a file, which is stored with the job once the job has finished."""


class JobHandler(Protocol):
    """The function of a job type. Returns the outcome as a sentence; must tolerate being killed."""

    def __call__(self, context: JobContext, /, *, at: datetime) -> str: ...


@dataclass(frozen=True)
class JobType:
    """A type of job. `every` is None for jobs that run on request only.

    `attempts` limits the tries. After `lease` without a report of progress another worker takes
    the job over. `retention` is the time after which the row of a finished job is deleted.
    """

    name: str
    handler: JobHandler
    every: timedelta | None
    attempts: int
    lease: timedelta
    retention: timedelta

    def next_run(self, *, after: datetime) -> datetime | None:
        """Return the first time later than `after` that is a multiple of `every` since EPOCH.

        None for a job that does not recur.
        """
        if self.every is None:
            return None
        return after + self.every - (after - EPOCH) % self.every


def job(
    name: str,
    *,
    every: timedelta | None = None,
    attempts: int = 3,
    lease: timedelta = LEASE,
    retention: timedelta = RETENTION,
) -> Callable[[JobHandler], JobHandler]:
    """Declare the decorated function as the handler of a job type; arguments as in `JobType`."""

    def declare(handler: JobHandler) -> JobHandler:
        JOB_TYPES[name] = JobType(name, handler, every, attempts, lease, retention)
        return handler

    return declare


def back_off(attempts: int) -> timedelta:
    """Return the delay before the retry after `attempts` failed attempts: 1, 5, 25 … minutes."""
    return timedelta(minutes=int(5 ** (attempts - 1)))


class JobProgress:
    """Counts the items that a job has processed and those that failed, and reports them.

    With `fixed`, a pair of steps done and steps in all, each report repeats that pair.
    """

    def __init__(self, context: JobContext, *, fixed: tuple[int, int] | None = None) -> None:
        self.context, self.fixed = context, fixed
        self.done = self.failed = 0

    def count(self, items: Iterable[Item], *, is_fault: Callable[[Item], bool]) -> int:
        """Consume the items, report progress after each, and return the number without a fault.

        Raises: LeaseLost.
        """
        before = self.done
        for item in items:
            if is_fault(item):
                self.failed += 1
            else:
                self.done += 1
            self.context.progress(*(self.fixed or (self.done + self.failed, 0)))
        return self.done - before

    def outcome(self, sentence: str) -> str:
        """Return the sentence. Raises: Incomplete, which counts the failures, if an item failed."""
        if self.failed:
            raise Incomplete(f"{sentence}; {self.failed} failed, see the log")
        return sentence

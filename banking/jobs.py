"""Kinds of jobs: what workers do once, or again and again. `services.jobs` keeps the rows.

A kind is a function under `@job` in the tasks of its app:

    @job("close_months", every=timedelta(days=1))
    def close_months(work: Work, *, at: datetime) -> str:
        ...
        return "4 statements were made."
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol, TypeVar

from foundation.files import Download

LEASE = timedelta(minutes=5)
KEPT = timedelta(days=90)
HEARTBEAT = "heartbeat"  # the kind that shows that workers work
EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
KINDS: dict[str, "Kind"] = {}
Item = TypeVar("Item")


class Lost(Exception):
    """Another worker has the job: this one's lease ended before it told of any progress."""


class Incomplete(Exception):
    """A job did what could be done, and trying again does no more: staff have to look at it.

    What it says is the job's outcome, so it says nothing of anybody.
    """


class Work(Protocol):
    """A job in hand: what was asked for, and whom to tell of its progress."""

    @property
    def arguments(self) -> dict[str, Any]: ...

    def progress(self, done: int, total: int) -> None:
        """Say how far it is, outside a transaction; this extends the lease.

        A `total` of 0 is not known. Raises: Lost.
        """

    def attach(self, file: Download) -> None:
        """Keep a file with the job once it is done."""


class Act(Protocol):
    """What a job does; it returns its outcome in a sentence, and may be cut off anywhere."""

    def __call__(self, work: Work, /, *, at: datetime) -> str: ...


@dataclass(frozen=True)
class Kind:
    """One kind of job. `every` is None for jobs that somebody asks for.

    `attempts` is how often it is tried; `lease` how long a worker may say nothing before another
    takes the job over; `kept` how long its row stays when it is finished.
    """

    name: str
    act: Act
    every: timedelta | None
    attempts: int
    lease: timedelta
    kept: timedelta

    def next_run(self, *, after: datetime) -> datetime | None:
        """Return when a recurring job is due next: at a whole multiple of `every` in UTC."""
        if self.every is None:
            return None
        return after + self.every - (after - EPOCH) % self.every


def job(
    name: str,
    *,
    every: timedelta | None = None,
    attempts: int = 3,
    lease: timedelta = LEASE,
    kept: timedelta = KEPT,
) -> Callable[[Act], Act]:
    """Declare a kind of job; a decorator."""

    def declare(act: Act) -> Act:
        KINDS[name] = Kind(name, act, every, attempts, lease, kept)
        return act

    return declare


def back_off(attempts: int) -> timedelta:
    """Return how long a job that failed so many times waits."""
    return timedelta(minutes=1) * 5 ** (attempts - 1)


class Tally:
    """Counts what a job goes through, and what of it failed.

    The job's progress is what was gone through, or stays where it `stands`: steps done, and all.
    """

    def __init__(self, work: Work, *, stands: tuple[int, int] | None = None) -> None:
        self.work, self.stands = work, stands
        self.done = self.failed = 0

    def count(self, items: Iterable[Item], *, is_fault: Callable[[Item], bool]) -> int:
        """Go through items, and return how many went well. Raises: Lost."""
        before = self.done
        for item in items:
            if is_fault(item):
                self.failed += 1
            else:
                self.done += 1
            self.work.progress(*(self.stands or (self.done + self.failed, 0)))
        return self.done - before

    def outcome(self, sentence: str) -> str:
        """Return the sentence if nothing failed. Raises: Incomplete."""
        if self.failed:
            raise Incomplete(f"{sentence}; {self.failed} failed, see the log")
        return sentence

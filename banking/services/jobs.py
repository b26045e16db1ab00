"""Jobs: request them, hand them out to workers, do them. Rows tell who has what, and until when.

A message to a worker names a job and its `attempts`. The worker takes the job by raising those, so
a message that comes twice does nothing; one that is lost is sent again. A worker that is killed
stops extending its lease, and another takes the job over.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

from django.core.files.base import ContentFile
from django.db import transaction
from django.db.models import F, Q

from banking.choices import JobStatus
from banking.jobs import KEPT, KINDS, Incomplete, Kind, Lost, back_off
from banking.models import Business, Job
from banking.models.jobs import paper_storage
from banking.services import stores
from foundation.files import Download

HANDED_OUT_FOR = timedelta(minutes=1)  # then the message counts as lost
TELL_EVERY = timedelta(seconds=1)
MOST_STARTS = 20  # of a job during which the worker dies each time
FOLDER = "jobs"
BATCH = 500
TRIES = 10
FIRST_PAUSE, LONGEST_PAUSE = 0.02, 0.5
PATIENT, BRIEFLY = 2, 5.0  # how many of a process wait long, and the seconds that others wait
Clock = Callable[[], datetime]

logger = logging.getLogger(__name__)
_patient = threading.BoundedSemaphore(PATIENT)


class Unfinished(Exception):
    """The job was not done in the time that somebody had for it."""


class Failed(Exception):
    """The job was given up."""


class Assignment:
    """A job that a worker has taken: `banking.jobs.Work`."""

    def __init__(self, job: Job, kind: Kind, clock: Clock) -> None:
        self.job, self.kind, self.clock = job, kind, clock
        self.told_at = clock()
        self.progress_made: dict[str, int] = {}
        self.file: Download | None = None

    @property
    def arguments(self) -> dict[str, Any]:
        arguments: dict[str, Any] = self.job.arguments
        return arguments

    def attach(self, file: Download) -> None:
        """Keep a file with the job once it is done."""
        self.file = file

    def progress(self, done: int, total: int) -> None:
        """Say how far it is, which is written once a second, and extend the lease. Raises: Lost."""
        self.progress_made = {"done": done, "total": total}
        now = self.clock()
        if now - self.told_at >= TELL_EVERY:
            self.told_at = now
            self.update(**self.progress_made, due_at=now + self.kind.lease)

    def finish(self, outcome: str) -> None:
        """Note that the job is done, with its file and when it is due again. Raises: Lost."""
        file = self._store() if self.file else {}
        try:
            self._end(JobStatus.DONE, outcome, **file)
        except Lost:
            if file:
                paper_storage().delete(file["file"])
            raise

    def fail(self, fault: str, *, is_final: bool) -> None:
        """Note a fault; the job is tried again later, or with `is_final` given up. Raises: Lost."""
        if is_final:
            self._end(JobStatus.FAILED, fault)
        else:
            later = self.clock() + back_off(self.job.attempts)
            self.update(status=JobStatus.QUEUED, outcome=fault[:255], due_at=later)

    def update(self, **values: Any) -> None:
        """Change the row as long as it is this worker's. Raises: Lost."""
        own = Job.objects.filter(
            pk=self.job.pk, attempts=self.job.attempts, status=JobStatus.RUNNING
        )
        if not own.update(**values):
            raise Lost

    @transaction.atomic
    def _end(self, status: JobStatus, outcome: str, **values: Any) -> None:
        now = self.clock()
        ended = {"status": status, "outcome": outcome[:255], "finished_at": now}
        self.update(**ended, **self.progress_made, **values)
        if next_run := self.kind.next_run(after=now):
            _add(self.kind.name, due_at=next_run, created_at=now)

    def _store(self) -> dict[str, str]:
        """Store the file under a name that only this attempt uses."""
        assert self.file is not None  # noqa: S101 - the caller looked
        name = f"{FOLDER}/{self.job.external_id}-{self.job.attempts}"
        return {
            "file": paper_storage().save(name, ContentFile(self.file.content)),
            "file_name": self.file.file_name,
            "content_type": self.file.content_type,
        }


def request(
    kind: str,
    *,
    key: str = "",
    business: Business | None = None,
    arguments: dict[str, Any] | None = None,
    at: datetime,
    after: timedelta = timedelta(),
) -> Job:
    """Return the open job of a kind and key, or a new one; of two at once, both get the same.

    No worker takes a new one before the time `after` has passed.
    """
    values = {"business": business, "arguments": arguments or {}}
    for _ in range(TRIES):
        job = Job.objects.open().filter(kind=kind, key=key).first()
        if job:
            return job
        _add(kind, key=key, due_at=at + after, created_at=at, **values)
    raise Failed  # whatever is requested is over before it can be looked at


def schedule(*, at: datetime) -> None:
    """See to it that each recurring kind has an open job: a new kind is due at once.

    One that was missed has its job since before, which runs once.
    """
    recurring = {kind.name for kind in KINDS.values() if kind.every}
    opened = Job.objects.open().filter(kind__in=recurring, key="")
    for name in sorted(recurring - set(opened.values_list("kind", flat=True))):
        _add(name, due_at=at, created_at=at)


def hand_out(*, at: datetime, limit: int) -> list[tuple[int, int]]:
    """Return key and attempts of the jobs that are due, for whom the caller sends messages.

    Nobody is given the same before HANDED_OUT_FOR has passed. Kinds that this process does not
    know wait for one that does.
    """
    due = Job.objects.due(at=at).filter(kind__in=KINDS).order_by("due_at", "pk")
    found = list(due.values_list("pk", "attempts")[:limit])
    return [
        (pk, attempts)
        for pk, attempts in found
        if Job.objects.due(at=at)
        .filter(pk=pk, attempts=attempts)
        .update(due_at=at + HANDED_OUT_FOR)
    ]


def run(pk: int, *, attempt: int, clock: Clock) -> None:
    """Do a job, unless somebody took it since it had been attempted `attempt` times."""
    work = _claim(pk, attempt=attempt, clock=clock)
    if work is None:
        return
    try:
        _do(work)
    except Lost:
        logger.warning("%s was taken over by another worker", work.job)


def wait(job: Job, *, seconds: float) -> Job:
    """Return a job as soon as it is done; not for use in a transaction, which would not see it.

    A few at a time wait so long in one process, the others BRIEFLY: with all of its threads
    waiting, a web server answers nobody. Raises: Failed, Unfinished.
    """
    is_patient = _patient.acquire(blocking=False)
    try:
        return _wait(job, until=time.monotonic() + (seconds if is_patient else BRIEFLY))
    finally:
        if is_patient:
            _patient.release()


def pause(seconds: float) -> None:
    """Let a worker work."""
    time.sleep(seconds)


def collect(job: Job, *, at: datetime) -> Download:
    """Return the file of a job that is done, and note that it was had."""
    with job.file.open("rb") as opened:
        content = opened.read()
    Job.objects.filter(pk=job.pk, collected_at=None).update(collected_at=at)
    return Download(job.content_type, job.file_name, content)


def purge(*, at: datetime) -> int:
    """Delete the jobs that finished long enough ago, and return how many there were."""
    is_old = Q(finished_at__lt=at - KEPT)
    for kind in KINDS.values():
        is_old |= Q(kind=kind.name, finished_at__lt=at - kind.kept)
    finished = Job.objects.filter(is_old, file="").order_by("pk")
    deleted = 0
    while batch := list(finished.values_list("pk", flat=True)[:BATCH]):
        count, _ = Job.objects.filter(pk__in=batch).delete()
        deleted += count
    return deleted


def purge_files(*, before: datetime) -> int:
    """Delete the files that jobs wrote before a time, and return how many there were.

    With them goes what a worker left that was killed before it could note its file.
    Raises: StoreOfAnother.
    """
    stores.require_own()  # a restored copy would delete files of production
    kept = Job.objects.exclude(file="").filter(finished_at__lt=before)
    names = set(kept.values_list("file", flat=True)) | set(_old_files(before))
    for name in names:
        paper_storage().delete(name)
    kept.update(file="")
    return len(names)


def _wait(job: Job, *, until: float) -> Job:
    length = FIRST_PAUSE
    while job.status != JobStatus.DONE:
        if job.status == JobStatus.FAILED:
            raise Failed
        if time.monotonic() > until:
            raise Unfinished
        pause(length)
        length = min(length * 1.5, LONGEST_PAUSE)
        job = Job.objects.get(pk=job.pk)
    return job


def _add(kind: str, **values: Any) -> None:
    """Add a job, unless one of its kind and key is open."""
    Job.objects.bulk_create([Job(kind=kind, **values)], ignore_conflicts=True)


def _claim(pk: int, *, attempt: int, clock: Clock) -> Assignment | None:
    job = Job.objects.open().filter(pk=pk, attempts=attempt).first()
    kind = KINDS.get(job.kind) if job else None
    if job is None or kind is None:
        return None
    now = clock()
    taken = Job.objects.open().filter(pk=pk, attempts=attempt)
    if not taken.update(
        attempts=F("attempts") + 1,
        status=JobStatus.RUNNING,
        started_at=now,
        due_at=now + kind.lease,
        done=0,
        total=0,
        outcome="",
    ):
        return None
    job.attempts = attempt + 1
    return Assignment(job, kind, clock)


def _do(work: Assignment) -> None:
    job, kind = work.job, work.kind
    if job.attempts > MOST_STARTS:
        work.fail("Each worker that took it ended.", is_final=True)
        return
    try:
        outcome = kind.act(work, at=work.clock())
    except Lost:
        raise
    except Incomplete as exc:
        logger.error("%s (%s) is incomplete: %s", job, kind.name, exc)
        work.fail(str(exc), is_final=True)
    except Exception as exc:
        logger.exception("%s (%s) failed", job, kind.name)
        work.fail(type(exc).__name__, is_final=job.attempts >= kind.attempts)
    else:
        work.finish(outcome)


def _old_files(before: datetime) -> Iterator[str]:
    storage = paper_storage()
    try:
        _, files = storage.listdir(FOLDER)
    except FileNotFoundError:  # nothing was stored yet
        return
    for file in files:
        name = f"{FOLDER}/{file}"
        if storage.get_modified_time(name) < before:
            yield name

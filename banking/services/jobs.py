"""Request jobs, dispatch them to workers, and run them; a row holds the lease of its worker.

A message to a worker names a job and its `attempts`. The worker claims the job by incrementing
them, so a message that arrives twice does nothing, and a lost message is sent again. A worker that
is killed stops extending its lease, and another worker takes the job over.
"""

import hashlib
import logging
import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.core.files.base import ContentFile
from django.db import transaction
from django.db.models import F, Q

from banking.choices import JobStatus
from banking.models import Business, Job
from banking.models.stored_files import file_storage, old_files
from banking.services import stores
from foundation.files import Download
from foundation.jobs.registry import JOB_TYPES, RETENTION, Incomplete, JobType, LeaseLost, back_off
from foundation.metrics import declared as metrics
from foundation.metrics.instruments import FAILED, Timed, timed
from foundation.tracing import spans

DISPATCH_TIMEOUT = timedelta(minutes=1)  # after which the message counts as lost
PROGRESS_INTERVAL = timedelta(seconds=1)
MAX_STARTS = 20  # of a job whose worker is killed each time
FOLDER = "jobs"
BATCH_SIZE = 500
MAX_TRIES = 10
FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 0.02, 0.5
MAX_LONG_WAITS = 2  # threads of a process that may wait as long as their callers ask
SHORT_WAIT_SECONDS = 5.0  # of all other threads
Clock = Callable[[], datetime]

logger = logging.getLogger(__name__)
_long_waits = threading.BoundedSemaphore(MAX_LONG_WAITS)


class Unfinished(Exception):
    """The job did not finish within the time that the caller waits."""


class Failed(Exception):
    """The job failed and is not retried."""


class ClaimedJob:
    """A job that this worker has claimed; the `JobContext` of its handler."""

    def __init__(self, job: Job, kind: JobType, clock: Clock) -> None:
        self.job, self.kind, self.clock = job, kind, clock
        self.reported_at = clock()
        self.progress_made: dict[str, int] = {}
        self.file: Download | None = None

    @property
    def arguments(self) -> dict[str, Any]:
        arguments: dict[str, Any] = self.job.arguments
        return arguments

    @property
    def private_arguments(self) -> str:
        private: str = self.job.private_arguments
        return private

    def attach(self, file: Download) -> None:
        """Keep a file in memory, which `finish` stores with the job."""
        self.file = file

    def progress(self, done: int, total: int) -> None:
        """Report steps as done and extend the lease, in the database at most once a second.

        Raises: LeaseLost.
        """
        self.progress_made = {"done": done, "total": total}
        now = self.clock()
        if now - self.reported_at >= PROGRESS_INTERVAL:
            self.reported_at = now
            self.update(**self.progress_made, due_at=now + self.kind.lease)

    def finish(self, outcome: str) -> None:
        """Mark the job as done, store its file, and add the next run of a recurring kind.

        Raises: LeaseLost, after the file is deleted again.
        """
        file = self._store() if self.file else {}
        try:
            self._end(JobStatus.DONE, outcome, **file)
        except LeaseLost:
            if file:
                file_storage().delete(file["file"])
            raise

    def fail(self, fault: str, *, is_final: bool) -> None:
        """Record a fault and schedule a retry; with `is_final` end the job as failed instead.

        The end of a recurring kind's job adds its next run. Raises: LeaseLost.
        """
        if is_final:
            self._end(JobStatus.FAILED, fault)
        else:
            later = self.clock() + back_off(self.job.attempts)
            self.update(status=JobStatus.QUEUED, outcome=fault[:255], due_at=later)

    def update(self, **values: Any) -> None:
        """Update the row while this worker holds the lease. Raises: LeaseLost."""
        own = Job.objects.filter(
            pk=self.job.pk, attempts=self.job.attempts, status=JobStatus.RUNNING
        )
        if not own.update(**values):
            raise LeaseLost

    @transaction.atomic
    def _end(self, status: JobStatus, outcome: str, **values: Any) -> None:
        now = self.clock()
        ended = {
            "status": status,
            "outcome": outcome[:255],
            "finished_at": now,
            "private_arguments": "",
        }
        self.update(**ended, **self.progress_made, **values)
        if next_run := self.kind.next_run(after=now):
            _add(self.kind.name, due_at=next_run, created_at=now)

    def _store(self) -> dict[str, str]:
        """Store the file under a name of this attempt alone."""
        assert self.file is not None  # noqa: S101 - the caller looked
        name = f"{FOLDER}/{self.job.external_id}-{self.job.attempts}"
        return {
            "file": file_storage().save(name, ContentFile(self.file.content)),
            "file_name": self.file.file_name,
            "content_type": self.file.content_type,
            "sha256": hashlib.sha256(self.file.content).hexdigest(),
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
    """Return the open job of a kind and key, or add it; concurrent requests get the same job.

    A new job is due when the time `after` has passed. Raises: Failed if the jobs that were found or
    added finished so fast that none was read, MAX_TRIES times.
    """
    values = {
        "business": business,
        "arguments": arguments or {},
        "request_id": spans.current_request_id() or None,
        "traceparent": spans.current_traceparent(),
    }
    for _ in range(MAX_TRIES):
        job = Job.objects.open().filter(kind=kind, key=key).first()
        if job:
            return job
        _add(kind, key=key, due_at=at + after, created_at=at, **values)
    raise Failed  # each job that was found or added had finished before it could be read


def schedule(*, at: datetime) -> None:
    """Add an open job for each recurring kind without one; a new kind is due at once.

    A kind that missed several runs still has its open job, which runs once.
    """
    recurring = {kind.name for kind in JOB_TYPES.values() if kind.every}
    opened = Job.objects.open().filter(kind__in=recurring, key="")
    for name in sorted(recurring - set(opened.values_list("kind", flat=True))):
        _add(name, due_at=at, created_at=at)


def dispatch(*, at: datetime, limit: int) -> list[tuple[int, int]]:
    """Return primary key and attempts of due jobs; the caller sends a message for each.

    A job is returned again only after DISPATCH_TIMEOUT. Kinds that this process does not know
    wait for a process that knows them.
    """
    due = Job.objects.due(at=at).filter(kind__in=JOB_TYPES).order_by("due_at", "pk")
    found = list(due.values_list("pk", "attempts")[:limit])
    return [
        (pk, attempts)
        for pk, attempts in found
        if Job.objects.due(at=at)
        .filter(pk=pk, attempts=attempts)
        .update(due_at=at + DISPATCH_TIMEOUT)
    ]


def run(pk: int, *, attempt: int, clock: Clock) -> None:
    """Claim and run a job whose attempts are still `attempt`; else a worker has claimed it already.

    Records the result on the job. Exceptions of its handler are logged and not raised.
    """
    claimed = _claim(pk, attempt=attempt, clock=clock)
    if claimed is None:
        return
    job, kind = claimed.job, claimed.kind.name
    with (
        spans.work(f"job {kind}", request_id=job.request_id, parent=job.traceparent),
        timed(metrics.JOBS, metrics.JOB_DURATION, kind) as block,
    ):
        try:
            _execute(claimed, block)
        except LeaseLost:
            block.outcome = "lost"
            logger.warning("%s was taken over by another worker", job)


def wait(job: Job, *, seconds: float) -> Job:
    """Return a job as soon as it is done. Must not run in a transaction, which sees no change.

    Only MAX_LONG_WAITS threads of a process wait for `seconds`, all others for SHORT_WAIT_SECONDS:
    a web server whose threads all wait answers no request. Raises: Failed if the job failed,
    Unfinished after the wait.
    """
    waits_long = _long_waits.acquire(blocking=False)
    try:
        return _wait(job, until=time.monotonic() + (seconds if waits_long else SHORT_WAIT_SECONDS))
    finally:
        if waits_long:
            _long_waits.release()


def pause(seconds: float) -> None:
    """Sleep, so that a worker can make progress; tests replace it."""
    time.sleep(seconds)


def collect(job: Job, *, at: datetime) -> Download:
    """Return the file of a finished job and record that it was collected.

    Raises: FileNotFoundError, UnreadableFile.
    """
    with job.open_file() as opened:
        content = opened.read()
    Job.objects.filter(pk=job.pk, collected_at=None).update(collected_at=at)
    return Download(job.content_type, job.file_name, content)


def purge(*, at: datetime) -> int:
    """Delete finished jobs after the retention of their types, at most RETENTION; return how many.

    Jobs with a file stay until `purge_files` has deleted it.
    """
    is_old = Q(finished_at__lt=at - RETENTION)
    for kind in JOB_TYPES.values():
        is_old |= Q(kind=kind.name, finished_at__lt=at - kind.retention)
    finished = Job.objects.filter(is_old, file="").order_by("pk")
    deleted = 0
    while batch := list(finished.values_list("pk", flat=True)[:BATCH_SIZE]):
        count, _ = Job.objects.filter(pk__in=batch).delete()
        deleted += count
    return deleted


def purge_files(*, before: datetime) -> int:
    """Delete the files that jobs wrote before a time, and return their number.

    Includes files of workers that were killed before they could record them.
    Raises: StoreOfAnother.
    """
    stores.require_own()  # a restored copy would delete files of production
    kept = Job.objects.exclude(file="").filter(finished_at__lt=before)
    names = set(kept.values_list("file", flat=True)) | set(old_files(FOLDER, before=before))
    for name in names:
        file_storage().delete(name)
    kept.update(file="")
    return len(names)


def _wait(job: Job, *, until: float) -> Job:
    length = FIRST_PAUSE_SECONDS
    while job.status != JobStatus.DONE:
        if job.status == JobStatus.FAILED:
            raise Failed
        if time.monotonic() > until:
            raise Unfinished
        pause(length)
        length = min(length * 1.5, MAX_PAUSE_SECONDS)
        job = Job.objects.get(pk=job.pk)
    return job


def _add(kind: str, **values: Any) -> None:
    """Add a job, unless a job of its kind and key is open."""
    Job.objects.bulk_create([Job(kind=kind, **values)], ignore_conflicts=True)


def _claim(pk: int, *, attempt: int, clock: Clock) -> ClaimedJob | None:
    job = Job.objects.open().filter(pk=pk, attempts=attempt).first()
    kind = JOB_TYPES.get(job.kind) if job else None
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
    return ClaimedJob(job, kind, clock)


def _execute(claimed: ClaimedJob, block: Timed) -> None:
    job, kind = claimed.job, claimed.kind
    if job.attempts > MAX_STARTS:
        block.outcome = FAILED
        claimed.fail("Each worker that took it ended.", is_final=True)
        return
    try:
        outcome = kind.handler(claimed, at=claimed.clock())
    except LeaseLost:
        raise
    except Incomplete as exc:
        block.outcome = "incomplete"
        logger.error("%s (%s) is incomplete: %s", job, kind.name, exc)
        claimed.fail(str(exc), is_final=True)
    except Exception as exc:
        is_final = job.attempts >= kind.attempts
        block.outcome = FAILED if is_final else "retried"
        logger.exception("%s (%s) failed", job, kind.name)
        claimed.fail(type(exc).__name__, is_final=is_final)
    else:
        claimed.finish(outcome)

"""Celery tasks that run the jobs of every app, and the bank's own jobs."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from banking.days import DAY
from banking.feed import waiting
from banking.services import (
    due_payments,
    expense_reports,
    feed_uploads,
    jobs,
    mails,
    sent_files,
    settlement,
    statements,
    taxes,
)
from foundation.anchoring import anchors
from foundation.jobs.registry import HEARTBEAT, Incomplete, JobContext, JobProgress, job
from foundation.scanning.scan_jobs import run_scan

MAX_DISPATCHED = 30  # jobs at once; more than there are recurring kinds
FILE_RETENTION = DAY
SCAN_SECONDS = 40  # of each minute


@shared_task
def sweep(*, full: Sequence[str] = (), **_added_later: object) -> None:
    """Add jobs for recurring work, and hand out due jobs unless the queue `jobs` is in `full`."""
    jobs.schedule(at=timezone.now())
    if "jobs" not in full:
        dispatch()


def dispatch() -> None:
    """Send a message to the workers for each job that is due, for MAX_DISPATCHED at most."""
    for pk, attempt in jobs.dispatch(at=timezone.now(), limit=MAX_DISPATCHED):
        run_job.apply_async(
            kwargs={"job_id": pk, "attempt": attempt}, expires=jobs.DISPATCH_TIMEOUT.seconds
        )


@shared_task(acks_late=False)  # a long one would be sent again by brokers that lose patience
def run_job(*, job_id: int, attempt: int, **_added_later: object) -> None:
    """Run a job, unless another worker has claimed it since the message was sent.

    If the worker is killed, another one runs the job once the lease is over.
    """
    jobs.run(job_id, attempt=attempt, clock=timezone.now)


@job(HEARTBEAT, every=timedelta(minutes=1), attempts=1, retention=timedelta(hours=1))
def heartbeat(_context: JobContext, *, at: datetime) -> str:
    """Do nothing but finish: `/status` shows when beat, broker and worker last did this job."""
    return f"at {at:%H:%M:%S}"


@job("settle_pending", every=timedelta(hours=1), attempts=1)
def settle_pending(context: JobContext, *, at: datetime) -> str:
    """Settle due transactions, send due bill payments and settle the bill payments that arrived.

    This is the work of `manage.py settle_pending`. Raises: Incomplete at the end if an item failed.
    """
    progress = JobProgress(context)
    posted = progress.count(settlement.settle_due(at=at), is_fault=lambda one: bool(one.fault))
    sent = progress.count(due_payments.send_due(at=at), is_fault=lambda one: one.is_stuck)
    arrived = progress.count(due_payments.settle_arrived(at=at), is_fault=lambda one: one.is_stuck)
    return progress.outcome(
        f"settled {posted} pending transactions, sent {sent} bill payments, settled {arrived}"
    )


@job("tend_feed", every=timedelta(minutes=5), attempts=1, retention=timedelta(days=1))
def tend_feed(_context: JobContext, *, at: datetime) -> str:
    """Refuse lines of the record feed that waited too long; delete old outcomes and uploads.

    Raises: StoreOfAnother if the document store is another deployment's; then no upload is deleted.
    """
    expired = waiting.expire(at=at)
    deleted = waiting.delete_old(before=at - DAY * settings.FEED_OUTCOME_DAYS)
    files = feed_uploads.delete_files(at=at)
    return f"refused {expired} waiting lines, deleted {deleted} old outcomes and {files} uploads"


@job("scan_files", every=timedelta(minutes=1), attempts=1, retention=timedelta(days=1))
def scan_files(context: JobContext, *, at: datetime) -> str:
    """Scan files of records for malware, for a limited time; the next run continues.

    Raises: Incomplete if the scanner does not answer, or at the end if a file could not be scanned.
    """
    return run_scan(
        context, sent_files.scan_files, sent_files.count_outdated, seconds=SCAN_SECONDS, at=at
    )


@job("close_months", every=DAY)
def close_months(context: JobContext, *, at: datetime) -> str:
    """Make the statements of open months that have ended, and tax statements of ended periods.

    This is the work of `manage.py close_month`. Raises: Incomplete at the end if a tax statement
    could not be made.
    """
    last_day = at.date().replace(day=1) - DAY
    total = statements.list_unclosed(through=last_day).count()
    accounts, closed = set(), 0
    for statement in statements.close_months(through=last_day, at=at):
        accounts.add(statement.account_id)
        closed += 1
        context.progress(len(accounts), total)
    progress = JobProgress(context, fixed=(total, total))
    made = taxes.make_tax_statements(through=last_day, at=at)
    reports = progress.count(made, is_fault=lambda one: bool(one.fault))
    return progress.outcome(f"made {closed} statements and {reports} tax statements")


@job(expense_reports.KIND, attempts=2, retention=timedelta(days=7))
def write_expense_report(context: JobContext, *, at: datetime) -> str:
    """Write the expense report that a user asked for, and attach the file to the job."""
    context.attach(expense_reports.write_requested(context, at=at))
    return "the report was written"


@job(mails.KIND, attempts=6, lease=timedelta(minutes=1), retention=DAY)
def send_mail(context: JobContext, *, at: datetime) -> str:
    """Send a mail to a user."""
    return mails.send(context)


@job("anchor_audit", every=DAY)
def anchor_audit(context: JobContext, *, at: datetime) -> str:
    """Anchor new rows in the stores of ANCHORS; do nothing if OUTBOUND is off or ANCHORS is empty.

    An anchor is a signed statement of the rows, kept outside of the database. Raises: NotAnchored
    or StoreFault if none was made; Incomplete if the anchor was made, but rows, copies, timestamps
    or mails had faults.
    """
    if not (settings.ANCHORS and settings.OUTBOUND):
        return f"nothing was anchored: {'OUTBOUND is off' if settings.ANCHORS else 'no ANCHORS'}"
    made = anchors.make(
        anchors.parse_destinations(settings.ANCHORS, lock=settings.ANCHOR_LOCK),
        key_file=settings.ANCHOR_KEY_FILE,
        at=at,
        report=lambda records: context.progress(records, 0),
    )
    if made.faults:
        raise Incomplete(f"anchor {made.statement.number} was made, but {'; '.join(made.faults)}")
    return f"made anchor {made.statement.number} with {made.statement.records} records"


@job("purge_jobs", every=DAY)
def purge_jobs(_context: JobContext, *, at: datetime) -> str:
    """Delete jobs whose retention is over, and files that jobs wrote more than a day ago.

    Raises: StoreOfAnother if the document store is another deployment's; then no file is deleted.
    """
    rows = jobs.purge(at=at)  # first: it deletes nothing in the store
    return f"deleted {jobs.purge_files(before=at - FILE_RETENTION)} files and {rows} finished jobs"

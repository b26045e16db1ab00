"""What workers do for onboarding again and again."""

from datetime import datetime, timedelta

from banking.jobs import Incomplete, Tally, Work, job
from onboarding.services import clock, documents, mails, reminders, retention

DAY = timedelta(days=1)
BATCH = 1000
RUNNING = timedelta(hours=1)  # requests may need files that are younger


@job("expire_and_remind", every=timedelta(minutes=5), attempts=1, kept=timedelta(days=7))
def expire_and_remind(work: Work, *, at: datetime) -> str:
    """Do what `manage.py advance_clock` does."""
    tally = Tally(work)
    expired = tally.count(clock.expire_overdue(at=at), is_fault=_is_fault)
    reminded = tally.count(reminders.remind_waiting(at=at), is_fault=_is_fault)
    return tally.outcome(f"expired {expired} applications, reminded {reminded} applicants")


@job("notify_key_expiry", every=DAY)
def notify_key_expiry(_work: Work, *, at: datetime) -> str:
    """Write to the partners whose access keys end soon."""
    return f"queued {mails.notify_key_expiry(at=at)} notices"


@job("purge_expired", every=DAY)
def purge_expired(work: Work, *, at: datetime) -> str:
    """Do what `manage.py purge_expired` does."""
    counts = []
    for number, model in enumerate(retention.EXPIRING, 1):
        count = retention.purge_expired(model, at=at, batch_size=BATCH)
        counts.append(f"{count} {model._meta.verbose_name_plural}")
        work.progress(number, len(retention.EXPIRING))
    return f"deleted {', '.join(counts)}"


@job("sweep_documents", every=DAY, lease=timedelta(hours=2))
def sweep_documents(_work: Work, *, at: datetime) -> str:
    """Do what `manage.py sweep_documents` does."""
    report = documents.sweep(before=at - RUNNING)
    orphans, stale = len(report.orphans), len(report.stale_uploads)
    outcome = f"deleted {orphans} files without a row and {stale} stale uploads"
    if report.missing:
        raise Incomplete(f"{outcome}; {len(report.missing)} documents lack their file")
    return outcome


def _is_fault(outcome: clock.Outcome) -> bool:
    return bool(outcome.fault)

"""Background jobs of onboarding, most of them periodic. Each returns its outcome as a sentence.

A job that counts its items with JobProgress processes the others if one fails, and raises
Incomplete at the end.
"""

import logging
import time
from datetime import datetime, timedelta
from functools import partial

from django.conf import settings
from django.utils import timezone

from foundation.jobs.registry import Incomplete, JobContext, JobProgress, job
from foundation.scanning.scan_jobs import run_scan
from onboarding.choices import PartyKind
from onboarding.queries.lists import list_overdue
from onboarding.queries.parties import COMPARE_PARTY
from onboarding.services import notifications
from onboarding.services.applications import expiry, reminders
from onboarding.services.checks import list_passes, rechecks, record_hits
from onboarding.services.customers import reviews
from onboarding.services.documents import rescans, sweep
from onboarding.services.leads import owner_reminders
from onboarding.services.mails import outbox
from onboarding.services.privacy import erasure, retention
from onboarding.services.sandbox import sandbox_clock
from onboarding.services.webhooks import endpoints

logger = logging.getLogger(__name__)
DAY = timedelta(days=1)
BATCH_SIZE = 1000
RECHECK_SECONDS = 30  # time limit for customers; open cases have none
COMPARE_SECONDS = 40  # for lists, and again for changed parties
RESCAN_SECONDS = 120  # of each five minutes
RUNNING = timedelta(hours=1)  # running requests may need younger files


@job("expire_and_remind", every=timedelta(minutes=5), attempts=1, retention=timedelta(days=7))
def expire_and_remind(context: JobContext, *, at: datetime) -> str:
    """End applications whose deadline has passed, and remind applicants and invited owners.

    A temporary approval that has run out is denied, any other application expires.
    """
    progress = JobProgress(context)
    expired = progress.count(expiry.expire_overdue(at=at), is_fault=_is_fault)
    reminded = progress.count(reminders.remind_due(at=at), is_fault=_is_fault)
    asked = progress.count(owner_reminders.remind_due(at=at), is_fault=_is_fault)
    outcome = f"expired {expired} applications, reminded {reminded} applicants"
    return progress.outcome(f"{outcome} and the owners of {asked}")


@job("recheck_cases", every=timedelta(minutes=1), attempts=1, retention=timedelta(days=1))
def recheck_cases(context: JobContext, *, at: datetime) -> str:
    """Run the checks of open cases and customers again after changed lists or changed data.

    Customers are checked for a limited time, and the next run continues.
    """
    progress = JobProgress(context)
    ends_at = time.monotonic() + RECHECK_SECONDS
    outcomes = rechecks.recheck_outdated(at=at, until=lambda: time.monotonic() >= ends_at)
    checked = progress.count(outcomes, is_fault=_is_fault)
    return progress.outcome(f"checked {checked} cases again")


@job("compare_parties", every=timedelta(minutes=1), attempts=1, retention=timedelta(days=1))
def compare_parties(_context: JobContext, *, at: datetime) -> str:
    """Compare parties with changed lists, and changed parties of the bank's records with all lists.

    Each of the two is done for a limited time; the next run continues.
    """
    if not rechecks.compares_names():
        return "names are not compared"
    record_hits.repeat_failed(at=at)
    ends_at = time.monotonic() + COMPARE_SECONDS
    changed = record_hits.screen_changed(at=at, until=lambda: time.monotonic() >= ends_at)
    ends_at = time.monotonic() + COMPARE_SECONDS
    compared = list_passes.advance(at=at, until=lambda: time.monotonic() >= ends_at)
    return f"compared {compared} parties with changed lists, and {changed} changed parties"


@job(COMPARE_PARTY, attempts=5)
def compare_party(context: JobContext, *, at: datetime) -> str:
    """Compare a party of the bank's records with the lists again, after a comparison failed."""
    kind, row = PartyKind(context.arguments["kind"]), context.arguments["row"]
    record_hits.screen(kind, row, at=at)
    return f"compared {kind.label.lower()} {row}"


@job("check_list_ages", every=timedelta(hours=1), retention=timedelta(days=7))
def check_list_ages(_context: JobContext, *, at: datetime) -> str:
    """Log a warning for each sanctions list that should have been loaded again by now."""
    overdue = list_overdue(at=at)
    for one in overdue:
        name, days = one.of.get_code_display(), one.age.days
        logger.warning("the list %s is overdue: last loaded %s days ago", name, days)
    return f"{len(overdue)} lists are overdue"


@job("rescan_documents", every=timedelta(minutes=5), attempts=1, retention=timedelta(days=1))
def rescan_documents(context: JobContext, *, at: datetime) -> str:
    """Scan clean files for malware again once the scanner has newer signatures.

    Ends after a limited time; the next run continues.
    """
    return run_scan(
        context, rescans.rescan_outdated, rescans.count_outdated, seconds=RESCAN_SECONDS, at=at
    )


@job("notify_deadlines", every=timedelta(minutes=5), retention=timedelta(days=1))
def notify_deadlines(_context: JobContext, *, at: datetime) -> str:
    """Notify staff, once each, of deadlines of their cases that are near or have passed."""
    return f"sent {notifications.notify_deadlines(at=at)} notifications"


@job("open_reviews", every=DAY, attempts=1)
def open_reviews(context: JobContext, *, at: datetime) -> str:
    """Open reviews of customers whose periodic review is due soon, or an identity document expires.

    Customers with an open review are left out.
    """
    progress = JobProgress(context)
    opened = progress.count(reviews.open_due(at=at), is_fault=_is_fault)
    return progress.outcome(f"opened {opened} reviews")


@job("notify_key_expiry", every=DAY)
def notify_key_expiry(_context: JobContext, *, at: datetime) -> str:
    """Queue mails to the support addresses of partners whose access keys expire soon."""
    return f"queued {outbox.notify_key_expiry(at=at)} notices"


@job("notify_webhook_failures", every=timedelta(hours=1), retention=timedelta(days=7))
def notify_webhook_failures(_context: JobContext, *, at: datetime) -> str:
    """Queue mails to the support addresses of partners whose webhooks keep failing."""
    return f"queued {outbox.notify_webhook_failures(at=at)} notices"


@job("purge_expired", every=DAY)
def purge_expired(context: JobContext, *, at: datetime) -> str:
    """Delete expired rows, such as codes, sessions and old mails, and deleted webhooks."""
    counts = []
    for number, model in enumerate(retention.EXPIRING):
        context.progress(number, len(retention.EXPIRING))
        report = partial(context.progress, number, len(retention.EXPIRING))
        count = retention.purge_expired(model, at=at, batch_size=BATCH_SIZE, report=report)
        counts.append(f"{count} {model._meta.verbose_name_plural}")
    context.progress(len(retention.EXPIRING), len(retention.EXPIRING))
    ended = endpoints.purge_deleted(before=at - retention.DELETED_FOR)
    return f"deleted {', '.join(counts)}, {ended} webhooks"


@job("erase_unsubmitted", every=DAY, attempts=1)
def erase_unsubmitted(context: JobContext, *, at: datetime) -> str:
    """Erase personal data of leads whose applications ended unsubmitted some time ago.

    They ended at least UNSUBMITTED_KEPT_FOR before `at`. The rows of the leads stay.
    """
    progress = JobProgress(context)
    before = at - settings.UNSUBMITTED_KEPT_FOR
    erased = progress.count(erasure.erase_unsubmitted(before=before, at=at), is_fault=_is_fault)
    return progress.outcome(f"erased {erased} leads who never submitted")


@job("sweep_documents", every=DAY, lease=timedelta(hours=2))
def sweep_documents(_context: JobContext, *, at: datetime) -> str:
    """Move stored files without a row to quarantine, and restore files that documents lack.

    Stale uploads, and files that were long in quarantine, are deleted.
    Raises: Incomplete if a document still lacks its file, or too many files have no row.
    """
    report = sweep.sweep_files(before=at - RUNNING)
    if report.missing:
        raise Incomplete(f"{report.outcome}; {len(report.missing)} documents lack their file")
    return report.outcome


@job(sandbox_clock.KIND, attempts=5, lease=timedelta(minutes=1), retention=DAY)
def move_clock(context: JobContext, *, at: datetime) -> str:
    """Finish a clock move that a request began: time that passes for a partner in the sandbox."""
    return sandbox_clock.finish_requested(context, now=timezone.now)


def _is_fault(outcome: expiry.Outcome) -> bool:
    return bool(outcome.fault)

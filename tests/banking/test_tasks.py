"""What the bank's workers do, through the task that beat sends."""

from datetime import UTC, date, datetime

import pytest
from django.utils import timezone

from banking import tasks
from banking.models import Account, Job, Statement
from banking.services import holds
from tests.factories import NOON, draft_transaction, later, make_account

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_store")]
APRIL = datetime(2026, 4, 2, 12, tzinfo=UTC)
RECURRING = {
    "anchor_audit": 24 * 60,
    "check_list_ages": 60,
    "clear_tokens": 24 * 60,
    "close_months": 24 * 60,
    "compare_parties": 1,
    "erase_unsubmitted": 24 * 60,
    "end_accesses": 5,
    "expire_and_remind": 5,
    "heartbeat": 1,
    "notify_deadlines": 5,
    "notify_key_expiry": 24 * 60,
    "open_reviews": 24 * 60,
    "notify_webhook_failures": 60,
    "mail_first_uses": 5,
    "mail_unusual_use": 60,
    "purge_client_documents": 24 * 60,
    "purge_file_links": 5,
    "purge_client_registrations": 24 * 60,
    "purge_expired": 24 * 60,
    "purge_jobs": 24 * 60,
    "recheck_cases": 1,
    "rescan_documents": 5,
    "scan_files": 1,
    "tend_access_log": 24 * 60,
    "tend_feed": 5,
    "settle_pending": 60,
    "sweep_documents": 24 * 60,
}


@pytest.fixture
def at(monkeypatch):
    """Let it be another time."""

    def set_clock(now):
        monkeypatch.setattr(timezone, "now", lambda: now)

    set_clock(NOON)
    return set_clock


def hold(account):
    """Return a pending transaction that is due in a day."""
    return holds.hold(
        draft_transaction(account, -500), settles_at=later(days=1), allow_overdraft=True
    )


def outcome(kind):
    return Job.objects.filter(kind=kind).earliest("pk").outcome


def test_a_sweep_does_what_recurs_and_says_when_it_is_due_next(at):
    for app in ("onboarding", "mcp_server"):
        __import__(f"{app}.periodic")

    tasks.sweep()

    done = Job.objects.filter(status="DONE")
    assert set(done.values_list("kind", flat=True)) == set(RECURRING)
    following = dict(Job.objects.open().values_list("kind", "due_at"))
    assert following == {
        kind: later(minutes=12 * 60 if minutes == 24 * 60 else minutes)
        for kind, minutes in RECURRING.items()
    }


def test_a_sweep_without_anything_due_takes_two_statements(at, django_assert_num_queries):
    tasks.sweep()

    with django_assert_num_queries(2):
        tasks.sweep()


def test_pending_transactions_are_settled(at):
    transaction = hold(make_account())
    at(later(days=9))

    tasks.sweep()

    transaction.refresh_from_db()
    assert transaction.status == "POSTED"
    assert outcome("settle_pending") == (
        "settled 1 pending transactions, sent 0 bill payments, settled 0"
    )


def test_what_cannot_be_settled_is_shown_to_staff(at):
    hold(make_account())
    Account.objects.update(closed_through=date(2026, 12, 31))
    at(later(days=9))

    tasks.sweep()

    job = Job.objects.filter(kind="settle_pending").earliest("pk")
    assert (job.status, job.outcome) == (
        "FAILED",
        "settled 0 pending transactions, sent 0 bill payments, settled 0; 1 failed, see the log",
    )


def test_months_that_are_over_are_closed_account_by_account(at):
    for _ in range(2):
        make_account(opened_at=NOON)
    at(APRIL)

    tasks.sweep()

    assert list(Statement.objects.values_list("year", "month")) == [(2026, 3)] * 2
    job = Job.objects.filter(kind="close_months").earliest("pk")
    assert (job.status, job.done, job.total) == ("DONE", 2, 2)
    assert job.outcome == "made 2 statements and 2 tax statements"


def test_the_audit_is_anchored_every_day(at, anchor_folder):
    tasks.sweep()

    assert outcome("anchor_audit") == "made anchor 1 with 0 records"
    assert (anchor_folder / "000001.json").is_file()


def test_nothing_is_anchored_without_a_location_or_by_a_copy(at, anchor_folder, settings):
    settings.OUTBOUND = False
    tasks.sweep()
    settings.OUTBOUND, settings.ANCHORS = True, []
    at(later(days=1))
    tasks.sweep()

    outcomes = Job.objects.filter(kind="anchor_audit", status="DONE").order_by("pk")
    assert list(outcomes.values_list("outcome", flat=True)) == [
        "nothing was anchored: OUTBOUND is off",
        "nothing was anchored: no ANCHORS",
    ]
    assert not anchor_folder.exists()


def test_a_timestamp_that_failed_is_shown_to_staff(at, anchor_folder, settings):
    settings.ANCHORS = [*settings.ANCHORS, "rfc3161:http://127.0.0.1:9/"]

    tasks.sweep()

    job = Job.objects.filter(kind="anchor_audit").earliest("pk")
    assert job.status == "FAILED"
    assert job.outcome.startswith("anchor 1 was made, but http://127.0.0.1:9/")


def test_what_jobs_left_is_deleted(at):
    tasks.sweep()
    at(later(days=91))

    tasks.sweep()

    assert Job.objects.open().count() == Job.objects.filter(finished_at=later(days=91)).count()
    assert not Job.objects.filter(finished_at__lt=later(days=91)).exists()


def test_a_message_with_more_than_this_worker_knows_is_taken(at):
    tasks.run_job(job_id=1, attempt=0, priority="high")
    tasks.sweep(shard=1)

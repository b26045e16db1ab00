"""manage.py purge_expired."""

from datetime import timedelta

import pytest
from django.core.management import CommandError
from django.utils import timezone

from banking.models import RateWindow
from onboarding.models import Webhook
from onboarding.services.privacy import retention


@pytest.fixture
def windows(db):
    ends = [timezone.now() + timedelta(minutes=minutes) for minutes in (-2, -1, 5)]
    return [
        RateWindow.objects.create(subject=f"calls:{end}", count=1, expires_at=end) for end in ends
    ]


def test_what_has_expired_is_deleted(run, windows):
    lines = run("purge_expired", "--batch", "1")

    assert lines == [
        "deleted 0 idempotency records",
        "deleted 2 rate windows",
        "deleted 0 access codes",
        "deleted 0 links for phones",
        "deleted 0 sessions of applicants",
        "deleted 0 form drafts",
        "deleted 0 deliveries",
        "deleted 0 publications",
        "deleted 0 lanes",
        "deleted 0 mails",
        "deleted 0 notifications",
        "deleted 0 clock moves",
        "deleted 0 webhooks",
    ]
    assert RateWindow.objects.get() == windows[2]


def test_a_dry_run_counts_and_deletes_nothing(run, windows, make_webhook):
    long_ago = timezone.now() - retention.DELETED_FOR - timedelta(days=1)
    make_webhook(status="DISABLED", deleted_at=long_ago)

    lines = run("purge_expired", "--dry-run")

    assert lines[-1] == "would delete 1 webhooks"
    assert Webhook.objects.exists()
    assert lines[:2] == ["would delete 0 idempotency records", "would delete 2 rate windows"]
    assert RateWindow.objects.count() == 3


def test_a_batch_has_at_least_one_row(run):
    with pytest.raises(CommandError, match="at least 1"):
        run("purge_expired", "--batch", "0")

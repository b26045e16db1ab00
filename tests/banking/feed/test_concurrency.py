"""Feeds at once: they wait for each other, and no line counts twice or is lost."""

import pytest

from banking.models import Account, FeedRecord, Transaction
from banking.queries.ledger import find_differences
from tests.banking.feed.test_batches import results

COUNT = 30


@pytest.fixture
def lines(line):
    """Return a function that makes purchases of one cent on two accounts in turn."""

    def make(prefix, accounts):
        return [
            line(
                "transactions",
                f"{prefix}-{number}",
                account=accounts[number % len(accounts)],
                transactionType="PURCHASE",
                status="POSTED",
                amountCents=-1,
                occurredAt="2026-02-10T15:00:00Z",
            )
            for number in range(COUNT)
        ]

    return make


@pytest.fixture
def together(in_threads, feed, settings):
    """Return a function that feeds lists of lines at once and returns their results."""
    settings.FEED_CHUNK_LINES = 7

    def take(batches):
        return in_threads(lambda batch: results(feed(*batch)), batches)

    return take


def test_the_same_lines_at_once_count_once(together, books, lines):
    batch = lines("T", ["A-1", "A-2"])

    outcomes = together([batch, batch, batch])

    for number in range(COUNT):
        assert sorted(one[number] for one in outcomes) == ["created", "unchanged", "unchanged"]
    assert Transaction.objects.count() == FeedRecord.objects.filter(kind="transactions").count()
    assert Account.objects.get(business__isnull=False, name="Tax").current_cents == -COUNT // 2
    assert not list(find_differences())


def test_feeds_that_meet_on_their_accounts_lose_no_line(together, books, lines):
    outcomes = together([lines("T", ["A-1", "A-2"]), lines("S", ["A-2", "A-1"])])

    assert outcomes == [["created"] * COUNT] * 2
    assert Account.objects.get(business__isnull=False, name="Tax").current_cents == -COUNT
    assert not list(find_differences())

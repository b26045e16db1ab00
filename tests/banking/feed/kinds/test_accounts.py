"""Accounts of the feed: opened, renamed and closed; a refused line changes nothing."""

import pytest

from banking.models import Account, FeedChange
from tests.banking.feed.test_batches import codes, results

SAVINGS = {
    "business": "B-1",
    "accountType": "SAVING_BUCKET",
    "name": "Savings",
    "openedAt": "2026-01-02T10:00:00Z",
}
MAIN = SAVINGS | {"accountType": "MAIN_ACCOUNT", "name": "Renamed"}
LATER = "2026-02-12T15:00:00Z"


def test_a_new_account_is_not_opened_if_its_line_is_refused(feed, line, books):
    savings = Account.objects.filter(account_type="SAVING_BUCKET")

    (outcome,) = feed(line("accounts", "A-3", **SAVINGS, taxSettings={}))

    assert codes(outcome) == [("VALUE_REFUSED", "/data/taxSettings")]
    assert not savings.exists()

    assert results(feed(line("accounts", "A-3", **SAVINGS))) == ["created"]
    assert savings.count() == 1


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"status": "CLOSED"}, ("FIELD_MISSING", "/data/closedAt")),
        ({"status": "CLOSED", "closedAt": LATER}, ("VALUE_REFUSED", None)),  # it has a balance
        ({"taxSettings": {}}, ("VALUE_REFUSED", "/data/taxSettings")),
    ],
)
def test_a_refused_line_leaves_the_account_as_it_was(feed, line, spent, change, fault):
    changes = FeedChange.objects.count()

    outcomes = feed(
        line("accounts", "A-1", 2, **MAIN | change),
        line("accounts", "A-3", **SAVINGS),
    )

    assert results(outcomes) == ["refused", "created"]
    assert codes(outcomes[0]) == [fault]
    assert not Account.objects.filter(name="Renamed").exists()
    assert FeedChange.objects.count() == changes + 1


def test_a_closed_account_stays_closed_under_its_name(feed, line, books):
    closed = line("accounts", "A-1", 2, **MAIN, status="CLOSED", closedAt=LATER)
    assert results(feed(closed)) == ["updated"]

    (outcome,) = feed(line("accounts", "A-1", 3, **MAIN | {"name": "Open again"}))

    assert codes(outcome) == [("VALUE_REFUSED", "/data/status")]
    assert not Account.objects.filter(name="Open again").exists()

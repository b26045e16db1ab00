"""Counts of a search: how many transactions match, and what they sum up to."""

from datetime import date

import pytest

from banking.choices import Granularity
from banking.queries.filters import TransactionFilter
from banking.queries.search_counts import count_by_day, count_transactions
from tests.factories import NOON, later


@pytest.fixture
def account(make_account, make_transaction):
    """An account with two transactions on one day, and one in the month after."""
    account = make_account()
    for cents, days in ((500, 0), (-120, 0), (-30, 40)):
        make_transaction(account, cents, occurred_at=later(days=days))
    make_transaction(make_account(), 900)
    return account


def test_matches_are_summed_up_by_month(account):
    found = count_transactions(account.business, TransactionFilter())

    assert (found.granularity, found.total_count) == (Granularity.MONTH, 3)
    assert (found.in_cents, found.out_cents) == (500, 150)
    assert [count for _, count in found.counts] == [1, 2]  # the newest first


def test_matches_of_amounts_are_summed_up_by_day(account):
    found = count_transactions(account.business, TransactionFilter(min_amount_cents=100))

    assert (found.granularity, found.total_count) == (Granularity.DAY, 2)
    assert (found.in_cents, found.out_cents) == (500, 120)
    assert list(found.counts) == [(NOON.date(), 2)]


@pytest.mark.parametrize(
    ("first", "last", "total"),
    [
        (NOON.date(), NOON.date(), 2),
        (date(2020, 1, 1), later(days=39).date(), 2),
        (later(days=1).date(), None, 1),
        (later(days=1).date(), later(days=1).date(), 0),
    ],
)
def test_days_are_counted_however_months_lie(account, first, last, total):
    wanted = TransactionFilter(start_date=first, end_date=last)

    assert count_transactions(account.business, wanted).total_count == total


def test_the_days_of_some_months_are_counted(account):
    month = NOON.date().replace(day=1)

    days = count_by_day(account.business, TransactionFilter(), oldest=month, newest=month)

    assert list(days) == [(NOON.date(), 2)]

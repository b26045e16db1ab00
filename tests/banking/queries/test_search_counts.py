"""Counts of a search: how many transactions match, and what they sum up to."""

from datetime import date

import pytest
from django.db import connection
from django.db.models import Case, Count, F, Sum, When
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from banking.choices import Granularity
from banking.queries import search_counts
from banking.queries.filters import TransactionFilter
from banking.queries.search import search_transactions
from banking.queries.search_counts import count_by_day, count_transactions
from banking.queries.words import find_words
from banking.reach import Reach
from foundation.database.estimates import Estimate
from tests.banking.queries.test_search import days, filters, make_rows
from tests.factories import NOON, later

NONE, MANY = Estimate(rows=0, cost=0), Estimate(rows=10**9, cost=10**9)


@pytest.fixture
def account(make_account, make_transaction):
    """An account with two transactions on one day, and one in the month after."""
    account = make_account()
    for cents, late in ((500, 0), (-120, 0), (-30, 40)):
        make_transaction(account, cents, occurred_at=later(days=late))
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


@pytest.fixture
def accounts(make_business, make_account):
    """Two accounts of a business with transactions of every kind."""
    business = make_business()
    accounts = [make_account(business) for _ in range(2)]
    make_rows([make_account()], count=20)
    make_rows(accounts, count=150)
    return accounts


@pytest.fixture
def expect(monkeypatch):
    """Let the planner expect what the test says of transactions, and nothing of totals."""

    def expect(of_rows):
        monkeypatch.setattr(
            search_counts,
            "estimate",
            lambda sql, values: NONE if "banking_transactiontotal" in sql else of_rows,
        )

    return expect


@pytest.mark.parametrize("of_rows", [NONE, MANY])  # summed up by rows, or as all but the others
@settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_counts_and_sums_of_amounts_are_those_of_a_plain_sum(accounts, expect, of_rows, data):
    expect(of_rows)
    keys = data.draw(st.sampled_from([None, frozenset([accounts[0].pk]), frozenset()]))
    kept = data.draw(filters)
    wanted = TransactionFilter(**kept, reach=Reach(accounts=keys, last=data.draw(days)))

    found = count_transactions(accounts[0].business, wanted)

    assert (found.total_count, found.in_cents, found.out_cents) == plain_sum(accounts, wanted)
    assert not found.is_lower_bound
    assert wanted.has_totals or all(count > 0 for _, count in found.counts)


def plain_sum(accounts, wanted):
    cents = F("amount_cents")
    sums = wanted.transactions(accounts[0].business).aggregate(
        number=Count("pk"),
        in_cents=Sum(Case(When(amount_cents__gt=0, then=cents), default=0), default=0),
        out_cents=Sum(Case(When(amount_cents__lt=0, then=-cents), default=0), default=0),
    )
    return tuple(sums.values())


def test_nearly_all_amounts_are_counted_by_totals_and_the_few_others(accounts, expect):
    wanted = TransactionFilter(min_amount_cents=50)
    asked = []

    def listen(execute, sql, values, many, context):
        asked.append(sql)
        return execute(sql, values, many, context)

    expect(MANY)
    with connection.execute_wrapper(listen):
        count_transactions(accounts[0].business, wanted)

    assert ["banking_transactiontotal" in sql for sql in asked] == [True]


@pytest.fixture
def coffees(make_account, make_transaction):
    """Return the account of eight coffees on four days, whose newest transactions are two teas."""
    account = make_account()
    for number in range(8):
        at = later(days=number // 2, hours=number)
        make_transaction(account, -100, at=at, description="Coffee")
    for _ in range(2):
        make_transaction(account, -100, at=later(days=9), description="Tea")
    return account


@pytest.fixture
def search(coffees, expect, monkeypatch):
    """Return a search for coffee with pages of two, which the planner expects to be common."""
    monkeypatch.setattr(search_counts, "MOST_COUNTED", 5)
    expect(MANY)

    def search(**wanted):
        filters = TransactionFilter(**wanted)
        pages = {"page": 1, "page_size": 2}
        return search_transactions(coffees.business, filters, **pages, texts=("coffee",))

    return search


def test_a_common_word_is_counted_to_a_bound(search):
    page = search()

    assert (page.total_count, page.total_is_lower_bound) == (5, True)
    assert (page.total_amount_cents, page.total_in_cents, page.total_out_cents) == (None,) * 3


def test_a_word_is_counted_in_full_where_it_has_no_more_matches_than_the_bound(search):
    page = search(end_date=later(days=1).date())

    assert (page.total_count, page.total_is_lower_bound) == (4, False)
    assert (page.total_in_cents, page.total_out_cents) == (0, 400)


def test_a_word_is_counted_in_full_where_it_is_rare_among_the_newest(search, monkeypatch):
    monkeypatch.setattr(search_counts, "READ_PER_MATCH", 1)

    page = search()

    assert (page.total_count, page.total_is_lower_bound) == (8, False)
    assert page.total_amount_cents == -800


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8])
def test_every_page_of_a_common_word_can_be_read(coffees, expect, monkeypatch, size):
    monkeypatch.setattr(search_counts, "MOST_COUNTED", 5)
    expect(MANY)
    every = {"filters": TransactionFilter(), "texts": ("coffee",)}

    found = [
        search_transactions(coffees.business, **every, page=page, page_size=size).transactions
        for page in range(1, 10 // size + 1)
    ]

    ids = [row.external_id for page in found for row in page]
    rows = coffees.transactions.filter(description="Coffee").newest_first()
    assert ids == list(rows.values_list("external_id", flat=True))[: len(ids)]
    assert len(ids) == min(8, size * len(found))


def test_the_counted_days_are_the_newest(coffees, expect, monkeypatch):
    monkeypatch.setattr(search_counts, "MOST_COUNTED", 5)
    expect(MANY)
    words = find_words(coffees.business, ("coffee",))

    found = count_transactions(coffees.business, TransactionFilter(words=words))

    assert list(found.counts) == [
        (later(days=3).date(), 2),
        (later(days=2).date(), 2),
        (later(days=1).date(), 1),
    ]

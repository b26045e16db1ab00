import random
from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from banking.choices import AccountType, TransactionType
from banking.models import Location, Merchant, Transaction
from banking.queries import search
from banking.queries.search import TransactionFilter, search_transactions
from banking.services import balances, holds, ledger
from tests.factories import draft_transaction

FIRST = datetime(2025, 11, 20, tzinfo=UTC)
DAYS = 200
CATEGORIES = ["SALES", "RENT", "MEALS", "TRANSFERS_OUT"]
AMOUNTS = [1, 50, 99, 100, 101, 5_000]

days = st.none() | st.dates(date(2025, 11, 1), date(2026, 7, 1))
amounts = st.none() | st.sampled_from([0, *AMOUNTS, 10**30])
filters = st.fixed_dictionaries(
    {
        "start_date": days,
        "end_date": days,
        "is_pending": st.sampled_from([None, True, False]),
        "transaction_type": st.none() | st.sampled_from(TransactionType.values),
        "category": st.none() | st.sampled_from([*CATEGORIES, "GRANTS"]),
        "is_business": st.sampled_from([None, True, False]),
        "min_amount_cents": amounts,
        "max_amount_cents": amounts,
    }
)


def make_rows(accounts, *, count, seed=7):
    """Make transactions of every kind, some at one time, some released."""
    dice = random.Random(seed)
    drafts = [
        draft_transaction(
            dice.choice(accounts),
            dice.choice(AMOUNTS) * dice.choice([1, -1]),
            occurred_at=FIRST + timedelta(hours=dice.randrange(DAYS * 24)),
            transaction_type=dice.choice(TransactionType.values[:3]),
            category_id=dice.choice(CATEGORIES),
            is_business=dice.random() < 0.7,
        )
        for _ in range(count)
    ]
    third = count // 3
    locked = balances.lock_accounts(drafts)
    posted = [ledger.Draft([row], at=FIRST + timedelta(days=DAYS)) for row in drafts[third:]]
    ledger.record(posted, locked)
    holds.record(drafts[:third], locked)
    for row in Transaction.objects.filter(account__in=accounts).pending()[: third // 3]:
        holds.release(row)


def is_wanted(row, wanted):
    day, amount = row.occurred_at.date(), abs(row.amount_cents)
    return all(
        [
            row.status != "RELEASED",
            wanted.start_date is None or day >= wanted.start_date,
            wanted.end_date is None or day <= wanted.end_date,
            wanted.account is None or row.account == wanted.account,
            wanted.account_number in (None, row.account.account_number),
            wanted.is_pending in (None, row.is_pending),
            wanted.transaction_type in (None, row.transaction_type),
            wanted.category in (None, row.category_id),
            wanted.is_business in (None, row.is_business),
            wanted.min_amount_cents is None or amount >= wanted.min_amount_cents,
            wanted.max_amount_cents is None or amount <= wanted.max_amount_cents,
        ]
    )


def read_all(business, wanted, page_size):
    """Return what the pages hold, one after the other, and the total that all of them name."""
    found, number = [], 1
    while True:
        page = search_transactions(business, wanted, page=number, page_size=page_size)
        found += page.transactions
        if len(page.transactions) < page_size:
            return found, page.total_count
        number += 1


def expected_row(row, account_number, category_code, location_key):
    return (
        (row.external_id, row.occurred_at, row.transaction_type, row.status, row.is_pending),
        (row.amount_cents, row.direction, row.merchant_name, row.description),
        (account_number, category_code, location_key),
    )


@pytest.fixture
def business(make_business):
    return make_business()


@pytest.fixture
def accounts(business, make_account):
    """Two accounts of the business with transactions; those of another are like them."""
    make_rows([make_account()], count=20)
    kinds = [AccountType.MAIN_ACCOUNT, AccountType.SAVING_BUCKET]
    accounts = [make_account(business, account_type=kind) for kind in kinds]
    make_rows(accounts, count=150)
    return accounts


@pytest.mark.parametrize("sparse", [0, 20, 1000])
@settings(
    max_examples=40,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_pages_and_totals_are_those_of_a_naive_filter(
    business, accounts, monkeypatch, sparse, data
):
    monkeypatch.setattr(search, "SPARSE", sparse)
    account = data.draw(st.sampled_from([None, *accounts]))
    numbers = [None, accounts[0].account_number, "000000000000"]
    wanted = TransactionFilter(
        account=account,
        account_number=data.draw(st.sampled_from(numbers)),
        **data.draw(filters),
    )
    rows = Transaction.objects.filter(business=business).select_related("account").newest_first()
    expected = [row for row in rows if is_wanted(row, wanted)]

    found, total_count = read_all(business, wanted, data.draw(st.sampled_from([7, 50])))

    assert [row.external_id for row in found] == [row.external_id for row in expected]
    assert total_count == len(expected)
    assert list(wanted.transactions(business).newest_first()) == expected


@pytest.mark.parametrize(
    ("sparse", "wanted", "statements"),
    [
        (1000, TransactionFilter(), 2),
        (1000, TransactionFilter(start_date=date(2025, 12, 9), end_date=date(2026, 4, 3)), 2),
        (1000, TransactionFilter(account_number="200000000006", category="RENT"), 3),
        (1000, TransactionFilter(min_amount_cents=50), 3),
        (0, TransactionFilter(), 3),
        (0, TransactionFilter(account_number="200000000006"), 4),
        (0, TransactionFilter(min_amount_cents=50), 2),
        (0, TransactionFilter(category="GRANTS"), 1),
        (0, TransactionFilter(start_date=date(2026, 1, 2), end_date=date(2026, 1, 1)), 0),
    ],
)
def test_a_page_takes_few_statements(
    business, make_account, monkeypatch, django_assert_num_queries, sparse, wanted, statements
):
    monkeypatch.setattr(search, "SPARSE", sparse)
    make_rows([make_account(business, account_number="200000000006")], count=150)
    if not wanted.has_totals and connection.vendor == "postgresql":
        statements += 1  # the planner's estimate

    with django_assert_num_queries(statements):
        page = search_transactions(business, wanted, page=2, page_size=2)

    assert len(page.transactions) == (2 if statements > 1 else 0)


@pytest.mark.parametrize("sparse", [0, 1000])
def test_what_is_found_tells_what_the_transaction_tells(
    business, make_account, make_transaction, monkeypatch, sparse
):
    monkeypatch.setattr(search, "SPARSE", sparse)
    account = make_account(business)
    bakery = Merchant.objects.create(name="Corner Bakery")
    place = Location.objects.create(key="reno-1", line1="1 Main St", city="Reno", country="US")
    lunch = make_transaction(account, -1_930, merchant=bakery, location=place, description="Soup")
    hold = make_transaction(account, 5_000, merchant_raw_name="SQ *CORNER", pending=True)

    found = search_transactions(business, TransactionFilter(), page=1, page_size=10).transactions

    assert [
        expected_row(row, row.account_number, row.category_code, row.location_key) for row in found
    ] == [
        expected_row(hold, account.account_number, "SALES", None),
        expected_row(lunch, account.account_number, "OTHER_EXPENSE", "reno-1"),
    ]


def test_a_page_after_the_last_is_empty_and_knows_the_total(business, accounts):
    first = search_transactions(business, TransactionFilter(), page=1, page_size=10)

    after = search_transactions(business, TransactionFilter(), page=1000, page_size=10)

    assert (after.page, after.total_count, after.transactions) == (1000, first.total_count, [])


@pytest.mark.parametrize(("page", "page_size"), [(0, 10), (-1, 10), (1, 0)])
def test_pages_start_at_one(business, page, page_size):
    with pytest.raises(ValueError, match="start at 1"):
        search_transactions(business, TransactionFilter(), page=page, page_size=page_size)


def test_an_account_of_another_business_has_nothing_to_find(business, accounts, make_business):
    other = make_business()

    for wanted in [
        TransactionFilter(account=accounts[0]),
        TransactionFilter(account_number=accounts[0].account_number),
        TransactionFilter(account=accounts[0], min_amount_cents=1),
    ]:
        page = search_transactions(other, wanted, page=1, page_size=10)
        assert (page.total_count, page.transactions) == (0, [])


@pytest.mark.skipif(
    connection.vendor != "postgresql", reason="prepared statements are PostgreSQL's"
)
def test_the_search_is_planned_for_its_values_each_time(business, accounts):
    before = prepared_statements()

    for _ in range(10):
        search_transactions(business, TransactionFilter(category="RENT"), page=1, page_size=10)

    assert prepared_statements() == before


def prepared_statements():
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement FROM pg_prepared_statements")
        return set(cursor.fetchall())

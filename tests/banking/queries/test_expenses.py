from datetime import UTC, date, datetime

import pytest

from banking.choices import ReportPeriod
from banking.queries import expenses
from banking.queries.expenses import InvalidPeriod, Period
from tests.factories import make_transaction

TODAY = date(2026, 5, 14)
QUARTER = Period(date(2026, 1, 1), date(2026, 3, 31))


@pytest.fixture
def account(make_account):
    return make_account()


@pytest.fixture
def spending(account):
    """Rent twice, meals with a refund, and what is no expense of the business."""
    for month in (1, 2):
        day = datetime(2026, month, 3, tzinfo=UTC)
        make_transaction(account, -200_000, at=day, category_id="RENT")
    make_transaction(account, -5_000, category_id="MEALS", merchant_raw_name="Tin Spoon Cafe")
    make_transaction(account, 1_000, category_id="MEALS", merchant_raw_name="Tin Spoon Cafe")
    make_transaction(account, -900, category_id="MEALS", is_business=False)
    make_transaction(account, -900, category_id="MEALS", pending=True)
    for category in ("TRANSFERS_OUT", "OWNER_DRAW", "CASH_WITHDRAWAL", "LOAN_PRINCIPAL"):
        make_transaction(account, -900, category_id=category)
    make_transaction(account, 50_000)
    make_transaction(account, -700, category_id="MEALS", at=datetime(2026, 4, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("kind", "first", "last"),
    [
        (ReportPeriod.BEGINNING_OF_YEAR, "2026-01-01", "2026-05-14"),
        (ReportPeriod.LAST_YEAR, "2025-01-01", "2025-12-31"),
        (ReportPeriod.MONTHLY, "2026-05-01", "2026-05-14"),
        (ReportPeriod.QUARTERLY, "2026-04-01", "2026-05-14"),
        (ReportPeriod.ALL_TIME, "2026-01-03", "2026-05-14"),
    ],
)
def test_each_period_has_its_days(account, spending, kind, first, last):
    period = expenses.get_period(account.business, kind, today=TODAY)

    assert (str(period.first), str(period.last)) == (first, last)


@pytest.mark.parametrize("kind", ReportPeriod)
def test_only_all_time_asks_when_it_began(account, kind, django_assert_num_queries):
    business = account.business

    with django_assert_num_queries(1 if kind is ReportPeriod.ALL_TIME else 0):
        expenses.get_period(business, kind, today=TODAY, start=TODAY, end=TODAY)


@pytest.mark.parametrize(
    ("start", "end"), [(None, TODAY), (TODAY, None), (TODAY, date(2026, 5, 13))]
)
def test_a_custom_period_needs_both_ends_in_order(account, start, end):
    with pytest.raises(InvalidPeriod):
        expenses.get_period(
            account.business, ReportPeriod.CUSTOM, today=TODAY, start=start, end=end
        )


def test_a_custom_period_is_taken_as_it_is(account):
    period = expenses.get_period(
        account.business, ReportPeriod.CUSTOM, today=TODAY, start=TODAY, end=TODAY
    )

    assert period == Period(TODAY, TODAY)


def test_all_time_of_a_business_without_transactions_is_today(account):
    period = expenses.get_period(account.business, ReportPeriod.ALL_TIME, today=TODAY)

    assert period == Period(TODAY, TODAY)


def test_what_was_spent_for_business_is_added_up(account, spending, django_assert_num_queries):
    with django_assert_num_queries(2):
        found = expenses.get_expenses(account.business, QUARTER)

    assert [(row.name, row.count, row.amount_cents) for row in found.categories] == [
        ("Rent", 2, 400_000),
        ("Meals", 2, 4_000),
    ]
    assert [(str(row.month), row.amount_cents) for row in found.months] == [
        ("2026-01-01", 200_000),
        ("2026-02-01", 200_000),
        ("2026-03-01", 4_000),
    ]
    assert [(row.name, row.count, row.amount_cents) for row in found.merchants] == [
        ("Tin Spoon Cafe", 2, 4_000)
    ]


def test_each_expense_is_listed_by_category_the_oldest_first(account, spending):
    categories = expenses.get_expenses(account.business, QUARTER).categories

    listed = expenses.list_expenses(account.business, QUARTER, categories)

    assert [(row.category, row.amount_cents) for row in listed] == [
        ("Rent", 200_000),
        ("Rent", 200_000),
        ("Meals", 5_000),
        ("Meals", -1_000),
    ]


def test_another_business_has_its_own_expenses(make_business, account, spending):
    found = expenses.get_expenses(make_business(), QUARTER)

    assert (found.categories, found.months, found.merchants) == ((), (), ())

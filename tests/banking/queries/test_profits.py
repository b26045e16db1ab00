from datetime import date

import pytest

from banking.queries.profits import Expense, get_profit, get_profits
from banking.services import holds
from tests.factories import draft_transaction, later

FIRST, LAST = date(2026, 3, 1), date(2026, 3, 31)


@pytest.fixture
def account(make_account):
    return make_account()


def test_income_and_expenses_are_told_by_category(
    account, make_transaction, django_assert_num_queries
):
    make_transaction(account, 90_000)
    make_transaction(account, -20_000, category_id="RENT")
    make_transaction(account, -1_500, category_id="MEALS")
    make_transaction(account, 300, category_id="MEALS")

    with django_assert_num_queries(1):
        profit = get_profit(account.business, first=FIRST, last=LAST)

    assert profit.income_cents == 90_000
    assert profit.expenses == (
        Expense("RENT", "Rent", 1, 20_000),
        Expense("MEALS", "Meals", 2, 1_200),
    )
    assert profit.deductibles_cents == 20_600


def test_what_is_pending_private_or_moved_does_not_count(account, make_transaction):
    make_transaction(account, 1_000, category_id="TRANSFERS_IN")
    make_transaction(account, 1_000, category_id="OWNER_INVESTMENT")
    make_transaction(account, -1_000, category_id="TRANSFERS_OUT")
    make_transaction(account, -1_000, category_id="OWNER_DRAW")
    make_transaction(account, -1_000, category_id="CASH_WITHDRAWAL")
    make_transaction(account, 1_000, category_id="LOAN_PROCEEDS")
    make_transaction(account, -1_000, category_id="LOAN_PRINCIPAL")
    make_transaction(account, -1_000, is_business=False)
    make_transaction(account, -1_000, pending=True)

    profit = get_profit(account.business, first=FIRST, last=LAST)

    assert (profit.income_cents, profit.expenses) == (0, ())


def test_only_the_days_of_the_period_count(account, make_transaction, make_business):
    make_transaction(account, 500)
    make_transaction(account, 700, at=later(days=30))
    make_transaction(None, 900)

    assert get_profit(account.business, first=FIRST, last=LAST).income_cents == 500
    assert get_profit(make_business(), first=FIRST, last=LAST).income_cents == 0


def test_a_purchase_counts_on_the_day_it_was_made_once_it_settled(account):
    pending = holds.hold(draft_transaction(account, -900, category_id="RENT"), allow_overdraft=True)
    assert get_profit(account.business, first=FIRST, last=LAST).expenses == ()
    holds.settle(pending, at=later(days=30))
    april = {"first": date(2026, 4, 1), "last": date(2026, 4, 30)}

    expenses = get_profit(account.business, first=FIRST, last=LAST).expenses
    assert expenses == (Expense("RENT", "Rent", 1, 900),)
    assert get_profit(account.business, **april).expenses == ()


def test_a_refund_reduces_what_it_refunds(account, make_transaction):
    make_transaction(account, 5_000, category_id="SALES")
    make_transaction(account, -700, category_id="SALES")
    make_transaction(account, -900, category_id="RENT")
    make_transaction(account, 200, category_id="REFUNDS")

    profit = get_profit(account.business, first=FIRST, last=LAST)

    assert profit.income_cents == 4_300
    assert sum(expense.amount_cents for expense in profit.expenses) == 700


def test_profits_of_many_businesses_take_one_statement(
    make_account, make_transaction, make_business, django_assert_num_queries
):
    accounts = [make_account() for _ in range(3)]
    for number, account in enumerate(accounts):
        make_transaction(account, 500 + number)

    with django_assert_num_queries(1):
        profits = get_profits([account.business for account in accounts], first=FIRST, last=LAST)

    assert [profits[account.business_id].income_cents for account in accounts] == [500, 501, 502]
    assert make_business().pk not in profits

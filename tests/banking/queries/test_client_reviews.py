from datetime import UTC, date, datetime

import pytest

from banking.choices import AccessLevel, ClientCheck
from banking.queries import accountants
from banking.queries.client_reviews import list_figures, review_clients
from tests.factories import make_account, make_bill, make_supplier, make_transaction

NOW = datetime(2026, 4, 10, 12, tzinfo=UTC)


def review(accountant, *checks):
    return review_clients(
        accountant, checks, at=NOW, first=date(2026, 3, 1), least_balance_cents=1_000
    )


@pytest.mark.parametrize("count", [1, 8])
def test_a_review_asks_once_for_all_clients(
    make_accountant, make_access, count, django_assert_num_queries
):
    accountant = make_accountant()
    for _ in range(count):
        make_transaction(make_account(make_access(accountant).business), 500)
    make_transaction(make_account(), 500)

    with django_assert_num_queries(2):  # the accesses, the balances
        found = review(accountant, ClientCheck.BALANCE_LOW)

    assert (len(found.businesses), len(found.checks[0].clients)) == (count, count)
    assert found.checks[0].amount_cents == 500 * count


def test_the_largest_amount_comes_first(make_accountant, make_access):
    accountant = make_accountant()
    for cents in (100, 300, 200):
        make_bill(make_supplier(make_access(accountant).business), cents, due_date=date(2026, 4, 9))

    [check] = review(accountant, ClientCheck.BILLS_OVERDUE).checks

    assert [client.amount_cents for client in check.clients] == [300, 200, 100]


@pytest.mark.parametrize("count", [1, 8])
def test_figures_of_a_list_take_four_statements(
    make_accountant, make_access, count, django_assert_num_queries
):
    accountant = make_accountant()
    for _ in range(count):
        make_transaction(make_account(make_access(accountant).business), 500)
    quiet = make_access(accountant, level=AccessLevel.STATEMENTS_ONLY)
    make_account(quiet.business)
    clients = accountants.list_clients(accountant, at=NOW)

    with django_assert_num_queries(4):
        figures = list_figures(clients, at=NOW)

    balances = [one.available_balance_cents for one in figures]
    assert sorted(balances, key=str) == [500] * count + [None]

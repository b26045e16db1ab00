from datetime import UTC, date, datetime

import pytest

from banking.choices import AccessStatus, AccountType
from banking.models import Statement
from banking.queries import statements
from banking.services import statements as closing
from tests.factories import NOON, later

OPENED = datetime(2026, 1, 15, tzinfo=UTC)
APRIL = datetime(2026, 4, 2, tzinfo=UTC)


@pytest.fixture
def business(make_business):
    return make_business(legal_name="Corner / Bakery: LLC")


@pytest.fixture
def closed(business, make_account):
    """The business's checking account and tax bucket, closed through March."""
    for kind in [AccountType.MAIN_ACCOUNT, AccountType.TAX_BUCKET]:
        make_account(business, account_type=kind, opened_at=OPENED)
    return list(closing.close_months(through=date(2026, 3, 1), at=APRIL))


def test_the_most_recent_month_comes_first(business, closed, django_assert_num_queries):
    with django_assert_num_queries(1):
        listed = [
            (row.month, row.account.account_type) for row in statements.list_statements(business)
        ]

    assert [month for month, _ in listed] == [3, 3, 2, 2, 1, 1]


@pytest.mark.parametrize("batch_size", [1, 2, 5, 6, 100])
def test_each_transaction_of_a_month_comes_once_whatever_the_batch(
    make_account, make_transaction, batch_size, django_assert_num_queries
):
    account = make_account(opened_at=OPENED)
    times = [*[NOON] * 3, later(hours=1), later(days=1)]
    for number, at in enumerate([later(days=-20), *times, later(days=30)]):
        make_transaction(account, 100 + number, at=at)
    made = closing.close_months(through=date(2026, 3, 1), at=APRIL)
    march = next(row for row in made if row.month == 3)

    with django_assert_num_queries(5 // batch_size + 1):
        rows = list(statements.iterate_transactions(march, batch_size))

    assert [row.amount_cents for row in rows] == [101, 102, 103, 104, 105]
    assert rows == list(statements.list_transactions(march))


def test_statements_are_found_by_year_and_account(business, closed):
    buckets = statements.list_statements(business, account_type=AccountType.TAX_BUCKET)

    assert [row.month for row in buckets] == [3, 2, 1]
    assert not statements.list_statements(business, year=2025).exists()
    assert statements.list_statements(business, year=2026).count() == 6


def test_another_business_has_none_of_them(make_business, closed):
    other = make_business()

    assert not statements.list_statements(other).exists()
    with pytest.raises(Statement.DoesNotExist):
        statements.get_statement(other, closed[0].external_id)
    with pytest.raises(Statement.DoesNotExist):
        statements.get_latest_statement(other)


def test_the_latest_statement_is_of_the_checking_account(business, closed):
    latest = statements.get_latest_statement(business)

    assert (latest.month, latest.account.account_type) == (3, AccountType.MAIN_ACCOUNT)


def test_an_accountant_takes_the_latest_of_each_client(business, closed, make_access):
    accountant = make_access(business=business).accountant
    empty = make_access(accountant).business
    make_access(accountant, status=AccessStatus.REVOKED, revoked_at=NOON)
    make_access(accountant, status=AccessStatus.PENDING_TERMS, granted_at=None)

    found = statements.get_client_statements(accountant, at=NOON)

    [statement] = found.statements
    assert (statement.business, statement.month) == (business, 3)
    assert statement.account.account_type == AccountType.MAIN_ACCOUNT
    assert found.without == [empty]


@pytest.mark.parametrize("text", ["", "nothing", "{" * 40])
def test_an_id_that_is_none_is_not_found(business, closed, text):
    with pytest.raises(Statement.DoesNotExist):
        statements.get_statement(business, text)

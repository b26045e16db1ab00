from datetime import date

import pytest

from banking.queries import entries
from banking.services import ledger
from tests.factories import NOON, later, make_account


@pytest.fixture
def account(make_account):
    return make_account()


@pytest.fixture
def history(account, make_transaction):
    """Four entries: 1000, then -300 and 50 at one time a day later, then -20."""
    for amount, days in [(1_000, 0), (-300, 1), (50, 1), (-20, 2)]:
        make_transaction(account, amount, at=later(days=days))
    make_transaction(amount_cents=7_777)
    account.refresh_from_db()
    return account


def read(account, **options):
    rows = entries.list_entries(account, **options)
    return [(row.amount_cents, row.balance_cents) for row in rows]


def test_each_entry_has_the_balance_after_it(history):
    assert read(history) == [(-20, 730), (50, 750), (-300, 700), (1_000, 1_000)]


def test_a_page_has_the_balances_of_its_own_rows(history):
    page = entries.list_entries(history)[2:4]

    assert [row.balance_cents for row in page] == [700, 1_000]


def test_what_came_after_the_last_day_is_left_out_but_counted(history):
    assert read(history, until=later(days=1).date()) == [(50, 750), (-300, 700), (1_000, 1_000)]
    assert read(history, until=NOON.date()) == [(1_000, 1_000)]
    assert read(history, until=date(2020, 1, 1)) == []


def test_an_entry_knows_its_posting_and_the_other_side(
    account, make_transaction, django_assert_num_queries
):
    bucket = make_account(account.business, account_type="TAX_BUCKET")
    make_transaction(bucket, 10)
    posting = ledger.transfer(
        source=bucket, target=account, amount_cents=10, at=NOON, description="Back"
    )

    with django_assert_num_queries(3):
        [entry] = entries.list_entries(account)
        others = {row.account for row in entry.posting.entries.all()} - {account}
        merchants = [row.merchant_name for row in entry.posting.transactions.all()]

    assert (entry.posting, entry.posting.description) == (posting, "Back")
    assert others == {bucket}
    assert merchants == ["", ""]

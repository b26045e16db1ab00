"""What the tests of services share."""

import pytest


def balances(account):
    account.refresh_from_db()
    return account.current_cents, account.available_cents


@pytest.fixture
def funded(make_account, make_transaction):
    account = make_account()
    make_transaction(account, 10_000)
    return account

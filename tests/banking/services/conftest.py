"""What the tests of services share."""

import pytest

from banking.choices import PaymentMethod
from banking.services import bill_payments
from tests.factories import NOON


def balances(account):
    account.refresh_from_db()
    return account.current_cents, account.available_cents


@pytest.fixture
def funded(make_account, make_transaction):
    account = make_account()
    make_transaction(account, 10_000)
    return account


@pytest.fixture
def scheduled(bill):
    """A payment of the test's bill, scheduled by ACH."""
    return bill_payments.schedule_payment(bill, PaymentMethod.ACH, at=NOON)


@pytest.fixture
def sent(scheduled):
    """The same payment after it left."""
    return bill_payments.send_payment(scheduled, at=NOON)

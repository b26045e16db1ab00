"""What the tests of services share."""

import pytest
from django.contrib.auth.models import Group

from banking.models import User
from banking.services import bill_payments, staff_changes
from tests.factories import NOON, later, make_bill_payment


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
    """A payment of the whole bill of the test, scheduled by ACH."""
    return make_bill_payment(bill, amount_cents=bill.amount_cents)


@pytest.fixture
def sent(scheduled):
    """The same payment after it left."""
    return bill_payments.send_payment(scheduled, at=NOON)


@pytest.fixture
def clerks(db):
    """Return two clerks with the role Operations."""
    role = Group.objects.get(name="Operations")
    made = [
        User.objects.create_user(f"{name}@example.com", user_type="STAFF")
        for name in ("olga", "otto")
    ]
    for user in made:
        user.groups.add(role)
    return made


@pytest.fixture
def operate(clerks):
    """Return a function that proposes an operation as one clerk and confirms it as the other."""

    def operate(propose, row, **said):
        olga, otto = clerks
        change = propose(row, reason="As the letter of today says.", **said, by=olga, at=NOON)
        return staff_changes.confirm(change, by=otto, at=later(hours=1))

    return operate

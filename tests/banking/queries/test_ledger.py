import pytest

from banking.choices import TransactionStatus
from banking.models import Account, Transaction, TransactionTotal
from banking.queries.ledger import find_differences


def figures():
    return [(found.figure, found.kept, found.computed) for found in find_differences()]


@pytest.fixture
def account(make_account, make_transaction):
    account = make_account()
    make_transaction(account, 5_000)
    make_transaction(account, -1_000, pending=True)
    return account


def test_a_ledger_that_agrees_has_no_differences(account):
    assert figures() == []


def test_a_balance_that_drifted_is_named(account):
    Account.objects.filter(pk=account.pk).update(current_cents=5_001)

    [difference] = find_differences()

    assert (
        str(difference) == f"account {account.external_id}: current balance is 5001, should be 5000"
    )


def test_a_hold_that_drifted_is_named(account):
    Account.objects.filter(pk=account.pk).update(held_cents=0)

    assert figures() == [("sum of holds", 0, 1_000)]


def test_a_transaction_that_is_not_what_was_posted_is_named(account):
    Transaction.objects.posted().update(amount_cents=4_999)

    assert ("amount in the ledger", 4_999, 0) in figures()


def test_an_entry_whose_transaction_is_gone_is_named(account):
    Transaction.objects.posted().update(
        status=TransactionStatus.RELEASED, posting=None, settled_at=None
    )

    assert ("entry without transaction", 0, 1) in figures()


def test_totals_that_drifted_are_named(account):
    TransactionTotal.objects.filter(is_pending=False, granularity="DAY").update(count=2)
    TransactionTotal.objects.filter(is_pending=True, granularity="MONTH").delete()

    assert figures() == [("count", 2, 1), ("count", 0, 1), ("cents out", 0, 1_000)]

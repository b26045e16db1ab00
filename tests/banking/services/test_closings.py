"""Closings with payout by two clerks."""

import pytest
from django.db import connection

from banking.choices import AccountStatus, AccountType, CardStatus
from banking.models import Account, FeedChange, Posting, StaffChange, Transaction
from banking.queries.ledger import find_differences
from banking.services import accounts, bank_operations, closings, freezes, staff_changes
from tests.factories import NOON

PAYEE = "Cashier's check to Bakery LLC"


def status_of(account):
    account.refresh_from_db()
    return account.status


def test_an_account_is_closed_and_paid_out(funded, make_card, operate):
    card = make_card(funded)

    change = operate(closings.propose_closing, funded, destination=PAYEE)

    assert status_of(funded) == AccountStatus.CLOSED
    row = Transaction.objects.get(amount_cents=-10_000)
    assert row.description == f"Payout at closing: {PAYEE}"
    assert row.posting.entries.get(account__business=None).amount_cents == 10_000
    assert change.summary[0].endswith(f"Pay out $100.00 to: {PAYEE}")
    card.refresh_from_db()
    assert card.status == CardStatus.CANCELED
    kinds = FeedChange.objects.order_by("pk").values_list("kind", flat=True)
    assert list(kinds) == ["accounts", "cards"]
    assert not list(find_differences())


def test_the_payout_goes_to_another_account_of_the_business(funded, make_account, operate):
    bucket = make_account(funded.business, account_type=AccountType.TAX_BUCKET)

    operate(closings.propose_closing, funded, target=bucket)

    assert status_of(funded) == AccountStatus.CLOSED
    assert status_of(bucket) == AccountStatus.OPEN
    assert bucket.current_cents == 10_000
    assert not list(find_differences())


def test_every_account_of_the_business_is_closed(funded, make_account, make_transaction, operate):
    bucket = make_account(funded.business, account_type=AccountType.TAX_BUCKET)
    make_transaction(bucket, 700)
    empty = make_account(funded.business)

    operate(closings.propose_closing, funded, destination=PAYEE, closes_all=True)

    assert {status_of(one) for one in (funded, bucket, empty)} == {AccountStatus.CLOSED}
    assert not list(find_differences())


def test_an_empty_account_needs_no_destination(make_account, operate):
    account = make_account()

    operate(closings.propose_closing, account)

    assert status_of(account) == AccountStatus.CLOSED
    assert not Posting.objects.exists()


def test_a_balance_needs_a_destination(funded, clerks):
    with pytest.raises(bank_operations.OperationRefused, match="Name the destination"):
        closings.propose_closing(funded, reason="Asked.", by=clerks[0], at=NOON)


@pytest.mark.parametrize("state", ["held", "owing", "frozen"])
def test_what_is_not_settled_is_not_closed(funded, make_transaction, operate, clerks, state):
    if state == "held":
        make_transaction(funded, -100, pending=True)
    elif state == "owing":
        make_transaction(funded, -10_001)
    else:
        operate(freezes.propose_freeze, funded)

    with pytest.raises(bank_operations.OperationRefused):
        closings.propose_closing(funded, destination=PAYEE, reason="Asked.", by=clerks[0], at=NOON)

    assert status_of(funded) == AccountStatus.OPEN


@pytest.mark.parametrize("whose", ["another", "same"])
def test_the_target_is_another_open_account_of_the_business(funded, make_account, clerks, whose):
    target = funded if whose == "same" else make_account()

    with pytest.raises(bank_operations.OperationRefused, match="must be another open account"):
        closings.propose_closing(funded, target=target, reason="Asked.", by=clerks[0], at=NOON)


def test_another_balance_than_the_proposed_one_voids_it(funded, make_transaction, clerks):
    said = {"destination": PAYEE, "reason": "Asked.", "by": clerks[0], "at": NOON}
    change = closings.propose_closing(funded, **said)
    make_transaction(funded, 1)

    with pytest.raises(staff_changes.ChangeVoid):
        staff_changes.confirm(change, by=clerks[1], at=NOON)

    assert status_of(funded) == AccountStatus.OPEN


def test_a_posting_in_the_moment_of_the_confirmation_pays_out_nothing(
    funded, make_transaction, clerks, monkeypatch
):
    said = {"destination": PAYEE, "reason": "Asked.", "by": clerks[0], "at": NOON}
    change = closings.propose_closing(funded, **said)
    lock = accounts.lock_business

    def lock_after_a_posting(business_id):
        monkeypatch.undo()
        make_transaction(funded, 5_000)  # of somebody who held the lock
        lock(business_id)

    monkeypatch.setattr(accounts, "lock_business", lock_after_a_posting)

    with pytest.raises(bank_operations.OperationRefused, match="has changed"):
        staff_changes.confirm(change, by=clerks[1], at=NOON)

    assert status_of(funded) == AccountStatus.OPEN
    assert not Transaction.objects.filter(amount_cents__lt=0).exists()


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time")
def test_two_confirmations_at_once_pay_out_once(funded, clerks, in_threads):
    said = {"destination": PAYEE, "reason": "Asked.", "by": clerks[0], "at": NOON}
    change = closings.propose_closing(funded, **said)

    outcomes = in_threads(
        lambda second: staff_changes.confirm(change, by=second, at=NOON), [clerks[1]] * 2
    )

    assert sum(isinstance(one, StaffChange) for one in outcomes) == 1
    assert sum(isinstance(one, staff_changes.ChangeSettled) for one in outcomes) == 1
    assert Transaction.objects.filter(amount_cents=-10_000).count() == 1
    assert Account.objects.get(pk=funded.pk).status == AccountStatus.CLOSED
    assert not list(find_differences())

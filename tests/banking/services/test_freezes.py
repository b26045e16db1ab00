"""Freezes of accounts and cards by two clerks."""

import pytest

from banking.choices import AccountType, CardStatus
from banking.feed.registry import KINDS as REGISTERED
from banking.models import Account, Card, FeedChange
from banking.queries import payment_methods
from banking.queries.ledger import find_differences
from banking.services import bank_operations, freezes, holds, ledger, staff_changes
from banking.services.balances import AccountFrozen
from banking.signals import status_began
from tests.banking.services.conftest import balances
from tests.factories import NOON, draft_transaction, later


@pytest.fixture
def frozen(funded, operate):
    operate(freezes.propose_freeze, funded)
    funded.refresh_from_db()
    return funded


def test_the_banks_systems_are_told_of_a_freeze_and_of_its_end(frozen, operate):
    first = FeedChange.objects.get(kind="accounts")
    assert (first.external_id, first.result) == (str(frozen.external_id), "updated")
    assert REGISTERED["accounts"].represent(frozen)["frozenAt"] == later(hours=1)

    change = operate(freezes.propose_unfreeze, frozen)

    frozen.refresh_from_db()
    assert FeedChange.objects.filter(kind="accounts").count() == 2
    assert REGISTERED["accounts"].represent(frozen)["frozenAt"] is None
    assert frozen.business.legal_name in change.summary[0]


def test_a_frozen_account_sends_nothing(frozen, make_account):
    bucket = make_account(frozen.business, account_type=AccountType.TAX_BUCKET)

    with pytest.raises(AccountFrozen):
        ledger.post(draft_transaction(frozen, -1), at=NOON)
    with pytest.raises(AccountFrozen):
        holds.hold(draft_transaction(frozen, -1))
    sides = {"source": frozen, "target": bucket, "description": "Set aside"}
    with pytest.raises(AccountFrozen):
        ledger.transfer(**sides, amount_cents=1, at=NOON)

    assert frozen.frozen_at == later(hours=1)
    assert frozen.is_open
    assert balances(frozen) == (10_000, 10_000)


def test_a_frozen_account_receives_and_settles_what_was_held(funded, operate, make_transaction):
    held = make_transaction(funded, -1_000, pending=True)
    operate(freezes.propose_freeze, funded)

    ledger.post(draft_transaction(funded, 50), at=NOON)
    holds.settle(held, at=NOON)
    ledger.post(draft_transaction(funded, -30), at=NOON, allow_overdraft=True)  # as the core does

    assert balances(funded) == (9_020, 9_020)
    assert not list(find_differences())


def test_no_bill_is_paid_from_a_frozen_account(frozen, make_supplier, make_bill, make_payee):
    bill = make_bill(make_supplier(frozen.business), amount_cents=100)
    make_payee(bill.supplier)

    offers = payment_methods.list_payment_methods(frozen.business, bill.external_id, at=NOON)

    assert {offer.ineligible_reason for offer in offers if offer.method == "ACH"} == {
        "INSUFFICIENT_FUNDS"
    }


def test_an_account_is_unfrozen(frozen, operate):
    operate(freezes.propose_unfreeze, frozen)

    assert Account.objects.get(pk=frozen.pk).frozen_at is None
    ledger.post(draft_transaction(frozen, -1), at=NOON)


def test_only_what_would_change_is_proposed(frozen, clerks):
    said = {"reason": "Asked.", "by": clerks[0], "at": NOON}
    with pytest.raises(bank_operations.OperationRefused, match="in its present state"):
        freezes.propose_freeze(frozen, **said)
    Account.objects.filter(pk=frozen.pk).update(frozen_at=None)
    with pytest.raises(bank_operations.OperationRefused, match="in its present state"):
        freezes.propose_unfreeze(frozen, **said)


def test_a_proposal_is_void_if_the_account_was_frozen_otherwise(funded, clerks):
    change = freezes.propose_freeze(funded, reason="Asked.", by=clerks[0], at=NOON)
    Account.objects.filter(pk=funded.pk).update(frozen_at=NOON)

    with pytest.raises(staff_changes.ChangeVoid):
        staff_changes.confirm(change, by=clerks[1], at=later(hours=1))

    assert Account.objects.get(pk=funded.pk).frozen_at == NOON


def test_a_card_is_frozen_and_unfrozen_and_the_core_is_told(make_card, operate):
    card = make_card()
    began = []

    def hear(sender, *, rows, at, **_):
        began.append((sender, rows[0].pk, rows[0].status, at))

    status_began.connect(hear)
    try:
        operate(freezes.propose_card_freeze, card)
    finally:
        status_began.disconnect(hear)

    assert Card.objects.get().status == CardStatus.FROZEN
    assert began[-1] == (Card, card.pk, CardStatus.FROZEN, later(hours=1))
    operate(freezes.propose_card_unfreeze, card)
    assert Card.objects.get().status == CardStatus.ACTIVE
    assert list(FeedChange.objects.values_list("kind", "result")) == [("cards", "updated")] * 2


@pytest.mark.parametrize("status", ["ORDERED", "SHIPPED", "FROZEN", "CANCELED"])
def test_only_an_active_card_is_frozen(make_card, clerks, status):
    card = make_card(status=status)

    with pytest.raises(bank_operations.OperationRefused, match="active"):
        freezes.propose_card_freeze(card, reason="Asked.", by=clerks[0], at=NOON)

    assert not FeedChange.objects.exists()

from datetime import date

import pytest

from banking.choices import TransactionStatus
from banking.models import Account
from banking.queries.ledger import find_differences
from banking.services import holds, ledger, settlement
from tests.factories import NOON, draft_transaction, later


@pytest.fixture
def account(make_account):
    account = make_account()
    ledger.post(draft_transaction(account, 10_000), at=NOON)
    return account


def hold(account, **due):
    return holds.hold(draft_transaction(account, -1_000), settles_at=later(**due))


def test_what_is_due_settles_once(account):
    early, late = hold(account, days=1), hold(account, days=3)

    first = list(settlement.settle_due(at=later(days=2)))
    second = list(settlement.settle_due(at=later(days=2)))

    assert [outcome.transaction for outcome in first] == [early]
    assert second == []
    late.refresh_from_db()
    assert late.status == TransactionStatus.PENDING
    assert not list(find_differences())


def test_a_hold_without_a_due_time_waits(account):
    holds.hold(draft_transaction(account, -1_000))

    assert list(settlement.settle_due(at=later(days=100))) == []


def test_what_cannot_settle_is_told_and_the_rest_settles(account, make_account):
    stuck = hold(account, days=1)
    Account.objects.filter(pk=account.pk).update(closed_through=date(2026, 12, 31))
    free = hold(make_account(credit_limit_cents=5_000, account_type="LOC"), days=1)

    outcomes = {
        outcome.transaction: outcome.fault for outcome in settlement.settle_due(at=later(days=2))
    }

    assert "closed through" in outcomes[stuck]
    assert outcomes[free] == ""


def test_many_are_settled_batch_by_batch(account, monkeypatch):
    monkeypatch.setattr(settlement, "BATCH_SIZE", 2)
    for _ in range(5):
        hold(account, days=1)

    assert len(list(settlement.settle_due(at=later(days=2)))) == 5


def test_two_settlers_settle_each_hold_once(make_account, in_threads):
    account = make_account()
    ledger.post(draft_transaction(account, 10_000), at=NOON)
    for _ in range(5):
        hold(account, days=1)

    counts = in_threads(lambda _: len(list(settlement.settle_due(at=later(days=2)))), range(4))

    assert sum(counts) == 5
    account.refresh_from_db()
    assert (account.current_cents, account.held_cents) == (5_000, 0)
    assert not list(find_differences())

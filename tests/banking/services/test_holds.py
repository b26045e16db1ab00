import pytest

from banking.choices import TransactionStatus
from banking.models import TransactionTotal
from banking.queries.ledger import find_differences
from banking.services import holds, ledger
from tests.banking.services.conftest import balances
from tests.factories import NOON, draft_transaction, later


def test_a_hold_keeps_money_back_until_it_settles(funded):
    pending = holds.hold(draft_transaction(funded, -4_000))
    assert balances(funded) == (10_000, 6_000)

    settled = holds.settle(pending, at=later(days=1), amount_cents=-4_200)

    assert balances(funded) == (5_800, 5_800)
    assert (settled.status, settled.amount_cents) == (TransactionStatus.POSTED, -4_200)
    assert not list(find_differences())


@pytest.mark.parametrize("amount", [0, 4_000])
def test_a_hold_settles_in_its_direction(funded, amount):
    pending = holds.hold(draft_transaction(funded, -4_000))

    with pytest.raises(holds.WrongAmount):
        holds.settle(pending, at=NOON, amount_cents=amount)

    assert balances(funded) == (10_000, 6_000)


def test_a_pending_deposit_is_not_available(make_account):
    account = make_account()

    holds.hold(draft_transaction(account, 4_000))

    assert balances(account) == (0, 0)
    assert not list(find_differences())


def test_a_released_hold_leaves_no_trace_in_balances_and_totals(funded):
    pending = holds.hold(draft_transaction(funded, -4_000))

    released = holds.release(pending)

    assert released.status == TransactionStatus.RELEASED
    assert balances(funded) == (10_000, 10_000)
    assert not TransactionTotal.objects.filter(is_pending=True, count__gt=0).exists()
    assert not list(find_differences())


@pytest.mark.parametrize("end", [holds.release, lambda row: holds.settle(row, at=NOON)])
def test_a_hold_ends_once(funded, end):
    pending = holds.hold(draft_transaction(funded, -4_000))
    end(pending)

    for again in [holds.release, lambda row: holds.settle(row, at=NOON)]:
        with pytest.raises(holds.NotPending):
            again(pending)


def test_eight_settle_one_hold_once(make_account, in_threads):
    account = make_account()
    ledger.post(draft_transaction(account, 1_000), at=NOON)
    pending = holds.hold(draft_transaction(account, -400))

    outcomes = in_threads(lambda _: holds.settle(pending, at=NOON), range(8))

    assert [type(outcome) for outcome in outcomes].count(holds.NotPending) == 7
    assert balances(account) == (600, 600)
    assert not list(find_differences())

"""Only the moves that a status knows are made, and each once."""

import pytest
from django.db.models import Q

from banking.choices import (
    AccessStatus,
    BillPaymentStatus,
    BillStatus,
    InvoiceStatus,
    ReferralStatus,
)
from banking.models import Bill
from banking.transitions import InvalidTransition, transition
from tests.factories import NOON

MACHINES = [AccessStatus, BillPaymentStatus, BillStatus, InvoiceStatus, ReferralStatus]


@pytest.mark.parametrize("machine", MACHINES)
def test_each_move_leads_to_a_status_of_the_set(machine):
    for status in machine:
        assert status.moves <= set(machine.values) - {status}


def test_a_row_moves_with_what_changes_beside_it(make_referral):
    referral = make_referral()

    transition(referral, ReferralStatus.COMPLETED, completed_at=NOON)

    assert (referral.status, referral.completed_at) == ("COMPLETED", NOON)
    referral.refresh_from_db()
    assert (referral.status, referral.completed_at) == ("COMPLETED", NOON)


@pytest.mark.parametrize("target", [BillStatus.PENDING, BillStatus.CANCELED])
def test_a_move_that_the_machine_has_not_is_refused(make_bill, target):
    bill = make_bill(status=BillStatus.PAID)

    with pytest.raises(InvalidTransition):
        transition(bill, target)

    bill.refresh_from_db()
    assert bill.status == BillStatus.PAID


def test_what_the_database_says_decides(make_bill):
    bill = make_bill()
    Bill.objects.update(status=BillStatus.CANCELED)

    with pytest.raises(InvalidTransition):
        transition(bill, BillStatus.PAID)


def test_a_condition_may_come_with_a_move(make_bill):
    bill = make_bill(amount_cents=1_000)

    with pytest.raises(InvalidTransition):
        transition(bill, BillStatus.PAID, only=Q(amount_cents=0))


def test_one_row_moves_alone(make_bill):
    bill, other = make_bill(), make_bill()

    transition(bill, BillStatus.PAID)

    other.refresh_from_db()
    assert other.status == BillStatus.PENDING


def test_of_eight_at_once_one_moves(make_bill, in_threads):
    bill = make_bill()

    outcomes = in_threads(
        lambda target: transition(Bill.objects.get(pk=bill.pk), target),
        [BillStatus.PAID, BillStatus.CANCELED] * 4,
    )

    assert [type(outcome) for outcome in outcomes].count(InvalidTransition) == 7

"""Scheduled payments leave on their day and settle when they arrive, each by itself."""

from datetime import date

import pytest

from banking.choices import BillStatus, PaymentMethod
from banking.models import Account, BillPayment, Transaction
from banking.queries.ledger import find_differences
from banking.services import accounts, bill_payments, due_payments, holds, ledger
from tests.factories import NOON, draft_transaction, later, make_bill_payment

ACH = PaymentMethod.ACH
CLOSED = date(2026, 12, 31)


@pytest.fixture
def account(make_account):
    account = make_account(is_primary=True)
    ledger.post(draft_transaction(account, 1_000_00), at=NOON)
    return account


@pytest.fixture
def bill(account, make_supplier, make_payee, make_bill):
    supplier = make_supplier(account.business)
    make_payee(supplier, ACH)
    return make_bill(supplier, amount_cents=600_00)


def send(**delta):
    return list(due_payments.send_due(at=later(**delta)))


def settle(**delta):
    return list(due_payments.settle_arrived(at=later(**delta)))


def test_a_payment_leaves_once_on_its_day(account, scheduled):
    early, first, second = send(days=-1), send(), send(days=1)

    account.refresh_from_db()
    assert early == second == []
    assert [(outcome.payment.status, outcome.fault) for outcome in first] == [("PROCESSING", "")]
    assert account.available_cents == 400_00


def test_a_payment_that_funds_do_not_cover_fails_and_the_rest_leaves(bill, scheduled, make_bill):
    other = make_bill(bill.supplier, amount_cents=600_00)
    small = make_bill(bill.supplier, amount_cents=100_00)
    for each in (other, small):
        make_bill_payment(each, amount_cents=each.amount_cents)

    outcomes = send()

    assert [outcome.fault for outcome in outcomes] == ["", due_payments.NO_FUNDS, ""]
    failed = other.payments.get()
    assert (failed.status, failed.failure_reason) == ("FAILED", due_payments.NO_FUNDS)
    assert not any(outcome.is_stuck for outcome in outcomes)
    assert not list(find_differences())


def test_a_payment_without_an_account_fails(account, scheduled):
    ledger.post(draft_transaction(account, -1_000_00), at=NOON)
    accounts.close_account(account, at=NOON)

    assert [outcome.fault for outcome in send()] == [due_payments.NO_ACCOUNT]


def test_a_payment_settles_once_when_it_arrived(account, bill, sent):
    early, first, second = settle(), settle(days=7), settle(days=8)

    account.refresh_from_db()
    bill.refresh_from_db()
    assert early == second == []
    assert [(outcome.payment.status, outcome.fault) for outcome in first] == [("SETTLED", "")]
    assert (account.current_cents, bill.status) == (400_00, BillStatus.PAID)
    assert not list(find_differences())


def test_a_payment_that_cannot_settle_is_told_and_waits(account, sent):
    Account.objects.filter(pk=account.pk).update(closed_through=CLOSED)

    (outcome,) = settle(days=7)

    sent.refresh_from_db()
    assert "closed through" in outcome.fault
    assert outcome.is_stuck
    assert sent.status == "PROCESSING"


@pytest.mark.parametrize(
    ("end", "status", "fault"),
    [
        (lambda row: holds.settle(row, at=NOON), "SETTLED", ""),
        (holds.release, "FAILED", bill_payments.RELEASED),
    ],
)
def test_a_payment_follows_a_hold_that_ended_elsewhere(sent, end, status, fault):
    end(sent.transaction)

    (outcome,) = settle()

    assert (outcome.payment.status, outcome.fault) == (status, fault)
    assert not outcome.is_stuck


def test_a_canceled_payment_stays(scheduled):
    BillPayment.objects.update(status="CANCELED")

    assert send() == settle(days=7) == []


def test_four_at_once_send_and_settle_each_payment_once(
    make_account, make_supplier, make_payee, make_bill, in_threads
):
    account = make_account(is_primary=True)
    ledger.post(draft_transaction(account, 1_000_00), at=NOON)
    supplier = make_supplier(account.business)
    make_payee(supplier, ACH)
    for _ in range(5):
        make_bill_payment(make_bill(supplier, 100_00), amount_cents=100_00)

    sent = in_threads(lambda _: len(send()), range(4))
    settled = in_threads(lambda _: len(settle(days=7)), range(4))

    assert (sum(sent), sum(settled)) == (5, 5)
    assert BillPayment.objects.filter(status="SETTLED").count() == 5
    assert Transaction.objects.posted().filter(amount_cents=-100_00).count() == 5
    assert not list(find_differences())

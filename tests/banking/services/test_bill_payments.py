"""Scheduled payments of bills leave as holds, and settle once or fail."""

from datetime import date

import pytest

from banking.choices import BillStatus, PaymentMethod
from banking.models import BillPayment, PaymentRule, Transaction
from banking.queries import bills
from banking.queries.ledger import find_differences
from banking.services import accounts, bill_payments, holds, ledger
from banking.services.balances import AccountClosed, InsufficientFunds
from banking.transitions import InvalidTransition
from tests.banking.services.conftest import balances
from tests.factories import NOON, draft_transaction, later, make_bill_payment

ACH, WIRE = PaymentMethod.ACH, PaymentMethod.WIRE_DOMESTIC


@pytest.fixture
def account(make_account):
    account = make_account(is_primary=True)
    ledger.post(draft_transaction(account, 2_000_00), at=NOON)
    return account


@pytest.fixture
def bill(account, make_supplier, make_payee, make_bill):
    supplier = make_supplier(account.business, name="Mill")
    make_payee(supplier, ACH)
    make_payee(supplier, WIRE)
    return make_bill(supplier, amount_cents=1_000_00, number="17")


def test_a_payment_that_leaves_is_a_hold(account, sent):
    sent.refresh_from_db()

    assert (sent.status, sent.transaction.status) == ("PROCESSING", "PENDING")
    assert sent.transaction.description == "Bill 17, Mill"
    assert sent.transaction.merchant_name == "Mill"
    assert balances(account) == (2_000_00, 1_000_00)


def test_a_payment_leaves_once(account, sent):
    assert bill_payments.send_payment(sent, at=later(days=1)) == sent

    assert balances(account) == (2_000_00, 1_000_00)


def test_a_payment_without_funds_does_not_leave(account, scheduled):
    ledger.post(draft_transaction(account, -1_500_00), at=NOON)

    with pytest.raises(InsufficientFunds):
        bill_payments.send_payment(scheduled, at=NOON)

    scheduled.refresh_from_db()
    assert (scheduled.status, scheduled.transaction) == ("SCHEDULED", None)


def test_a_payment_without_an_account_does_not_leave(account, scheduled):
    ledger.post(draft_transaction(account, -2_000_00), at=NOON)
    accounts.close_account(account, at=NOON)

    with pytest.raises(AccountClosed):
        bill_payments.send_payment(scheduled, at=NOON)


@pytest.mark.parametrize("leaves_first", [True, False])
def test_a_settled_payment_pays_the_bill_once(account, bill, scheduled, leaves_first):
    if leaves_first:
        bill_payments.send_payment(scheduled, at=NOON)

    for day in (2, 3):
        settled = bill_payments.settle_payment(scheduled, at=later(days=day))

    bill.refresh_from_db()
    settled.refresh_from_db()
    assert (settled.status, settled.settled_date) == ("SETTLED", date(2026, 3, 4))
    assert settled.transaction.status == "POSTED"
    assert bill.status == BillStatus.PAID
    assert balances(account) == (1_000_00, 1_000_00)
    assert not list(find_differences())


def test_a_settled_payment_knows_its_posting(sent):
    settled = bill_payments.settle_payment(sent, at=NOON)

    assert settled.transaction.status == "POSTED"
    assert settled.transaction.posting is not None


def end_settled(payment):
    return bill_payments.settle_payment(payment, at=later(days=2))


def end_failed(payment):
    return bill_payments.fail_payment(payment, at=later(days=2), reason="Returned")


@pytest.mark.parametrize("end", [end_settled, end_failed])
def test_a_payment_whose_hold_was_settled_elsewhere_is_settled(account, bill, sent, end):
    holds.settle(sent.transaction, at=later(days=1))

    ended = end_settled(end(sent))

    bill.refresh_from_db()
    assert (ended.status, ended.settled_date) == ("SETTLED", date(2026, 3, 3))
    assert bill.status == BillStatus.PAID
    assert balances(account) == (1_000_00, 1_000_00)


@pytest.mark.parametrize(
    ("end", "reason"), [(end_settled, bill_payments.RELEASED), (end_failed, "Returned")]
)
def test_a_payment_whose_hold_was_released_elsewhere_is_failed(account, bill, sent, end, reason):
    holds.release(sent.transaction)

    ended = end(sent)

    ended.refresh_from_db()
    bill.refresh_from_db()
    assert (ended.status, ended.failure_reason) == ("FAILED", reason)
    assert bill.status == BillStatus.PENDING
    assert balances(account) == (2_000_00, 2_000_00)


def test_the_fee_of_a_wire_that_was_settled_elsewhere_is_charged(account, bill):
    payment = make_bill_payment(bill, method=WIRE, amount_cents=1_000_00)
    holds.settle(bill_payments.send_payment(payment, at=NOON).transaction, at=NOON)

    bill_payments.settle_payment(payment, at=NOON)

    assert balances(account) == (980_00, 980_00)


def test_a_part_does_not_pay_the_bill(bill):
    part, rest = (make_bill_payment(bill, amount_cents=cents) for cents in (400_00, 600_00))
    bill_payments.settle_payment(part, at=NOON)

    bill.refresh_from_db()
    assert bill.status == BillStatus.PENDING

    bill_payments.settle_payment(rest, at=NOON)
    bill.refresh_from_db()
    assert bill.status == BillStatus.PAID


def test_a_wire_costs_its_fee_once(account, bill):
    payment = make_bill_payment(bill, method=WIRE, amount_cents=1_000_00)

    for _ in range(2):
        bill_payments.settle_payment(payment, at=NOON)

    fee = Transaction.objects.get(transaction_type="FEE")
    assert fee.amount_cents == -PaymentRule.objects.get(method=WIRE).fee_cents == -20_00
    assert balances(account) == (980_00, 980_00)
    assert not list(find_differences())


@pytest.mark.parametrize("leaves_first", [True, False])
def test_a_failed_payment_gives_the_money_back(account, bill, scheduled, leaves_first):
    if leaves_first:
        bill_payments.send_payment(scheduled, at=NOON)

    for reason in ("The account is closed.", "Another reason."):
        failed = bill_payments.fail_payment(scheduled, at=NOON, reason=reason)

    failed.refresh_from_db()
    assert (failed.status, failed.failure_reason) == ("FAILED", "The account is closed.")
    assert balances(account) == (2_000_00, 2_000_00)
    assert bills.remaining_cents(bill, bill.payments.all()) == 1_000_00
    assert not list(find_differences())


def test_a_payment_fails_for_a_reason(scheduled):
    with pytest.raises(ValueError, match="reason"):
        bill_payments.fail_payment(scheduled, at=NOON, reason="")


def test_what_was_canceled_does_not_begin_again(scheduled):
    BillPayment.objects.update(status="CANCELED")

    for again in [
        lambda: bill_payments.send_payment(scheduled, at=NOON),
        lambda: bill_payments.settle_payment(scheduled, at=NOON),
        lambda: bill_payments.fail_payment(scheduled, at=NOON, reason="Late"),
    ]:
        with pytest.raises(InvalidTransition):
            again()


def test_what_settled_does_not_fail(scheduled):
    settled = bill_payments.settle_payment(scheduled, at=NOON)

    with pytest.raises(InvalidTransition):
        bill_payments.fail_payment(settled, at=NOON, reason="Too late")


@pytest.fixture
def raced(make_account, make_supplier, make_payee, make_bill, in_threads):
    """Return a bill that threads see."""
    account = make_account(is_primary=True)
    ledger.post(draft_transaction(account, 900_000_00), at=NOON)
    supplier = make_supplier(account.business)
    make_payee(supplier, ACH)
    return make_bill(supplier, amount_cents=100_000_00)


def test_eight_at_once_settle_a_payment_once(raced, in_threads):
    payment = make_bill_payment(raced, amount_cents=100_000_00)

    outcomes = in_threads(lambda _: bill_payments.settle_payment(payment, at=NOON), range(8))

    assert outcomes == [payment] * 8
    assert raced.business.accounts.get().current_cents == 800_000_00
    assert not list(find_differences())


def test_of_a_failure_and_a_settlement_at_once_one_wins(raced, in_threads):
    payment = make_bill_payment(raced, amount_cents=100_000_00)
    bill_payments.send_payment(payment, at=NOON)

    def end(number):
        if number % 2:
            return bill_payments.settle_payment(payment, at=NOON)
        return bill_payments.fail_payment(payment, at=NOON, reason="Returned")

    outcomes = in_threads(end, range(8))

    assert [type(outcome) for outcome in outcomes].count(InvalidTransition) == 4
    assert not list(find_differences())

"""Payments of bills: a scheduled payment is sent as a hold, and settled or failed.

Functions that write payments lock the bill first, and accounts after it.
"""

from datetime import UTC, datetime
from typing import Any

from django.db import transaction

from banking.choices import (
    BillPaymentStatus,
    BillStatus,
    PaymentMethod,
    SettlementStatus,
    TransactionStatus,
    TransactionType,
)
from banking.models import Bill, BillPayment, PaymentRule, Transaction
from banking.queries import bills, payment_methods
from banking.queries.bills import lock_bill
from banking.services import balances, holds, ledger
from banking.signals import status_began
from banking.transitions import InvalidTransition, transition

Status = BillPaymentStatus
RELEASED = "The payment was called back."


@transaction.atomic
def send_payment(payment: BillPayment, *, at: datetime) -> BillPayment:
    """Send a scheduled payment: its amount is held. A PROCESSING payment is returned unchanged.

    Raises: InvalidTransition for a payment that ended; AccountClosed, also if the business has no
    open checking account; InsufficientFunds, AccountFrozen.
    """
    bill, payment = _lock_payment(payment)
    if payment.status == Status.PROCESSING:
        return payment
    payer = payment_methods.get_payer(bill.business)
    if payer is None:
        raise balances.AccountClosed(f"{bill.business} has no open checking account")
    row = Transaction(
        account=payer,
        transaction_type=TransactionType.FUND_TRANSFER,
        amount_cents=-payment.amount_cents,
        occurred_at=at,
        category_id="OTHER_EXPENSE",
        description=f"Bill {bill.number}, {bill.supplier.name}"[:255],
        merchant_raw_name=bill.supplier.name[:120],
    )
    transition(payment, Status.PROCESSING)
    payment.transaction = holds.hold(row)
    payment.save(update_fields=["transaction"])
    return payment


@transaction.atomic
def settle_payment(payment: BillPayment, *, at: datetime) -> BillPayment:
    """Post a payment that arrived, and its fee; mark the bill as paid if it is covered.

    A settled payment is returned unchanged, a scheduled payment is sent first. If the hold was
    settled or released elsewhere, the payment is settled or failed accordingly.
    Raises: InvalidTransition, InsufficientFunds, AccountClosed, BeforeOpening, MonthClosed; for a
    scheduled payment also AccountFrozen.
    """
    _, payment = _lock_payment(payment)
    if payment.status == Status.SETTLED:
        return payment
    payment = send_payment(payment, at=at)
    row = _lock_hold(payment)
    if row.is_pending:
        row = holds.settle(row, at=at)
    return _follow(payment, row, at=at, reason=RELEASED)


@transaction.atomic
def fail_payment(payment: BillPayment, *, at: datetime, reason: str) -> BillPayment:
    """Fail a payment that did not arrive, and release its hold. Returns a failed payment unchanged.

    If the hold was settled elsewhere, the payment has arrived and is settled instead.
    Raises: InvalidTransition; ValueError without a reason; for the fee of an arrived payment also
    AccountClosed, BeforeOpening, MonthClosed.
    """
    if not reason:
        raise ValueError("A payment fails for a reason.")
    _, payment = _lock_payment(payment)
    if payment.status == Status.FAILED:
        return payment
    if payment.status != Status.PROCESSING:
        return _end(payment, Status.FAILED, at=at, failure_reason=reason)
    row = _lock_hold(payment)
    if row.is_pending:
        row = holds.release(row)
    return _follow(payment, row, at=at, reason=reason)


def _lock_payment(payment: BillPayment) -> tuple[Bill, BillPayment]:
    """Lock the bill of a payment, and return the bill and the payment as they are now."""
    bill = lock_bill(payment.bill_id)
    return bill, bill.payments.select_related("transaction").get(pk=payment.pk)


def _lock_hold(payment: BillPayment) -> Transaction:
    """Lock the account of the payment's hold and return the hold as it is now, ended or not.

    Raises: InvalidTransition if the payment was not sent, so that it has no hold.
    """
    if payment.transaction is None:
        raise InvalidTransition(f"{payment} has not left")
    balances.lock_accounts([payment.transaction], must_be_open=False)
    return Transaction.objects.select_related("account").get(pk=payment.transaction.pk)


def _follow(payment: BillPayment, row: Transaction, *, at: datetime, reason: str) -> BillPayment:
    """End a payment as its hold ended: failed for `reason` if it was released, else settled.

    A settled payment is charged its fee, and its bill is marked as paid if its payments cover it.
    """
    payment.transaction = row
    if row.status == TransactionStatus.RELEASED:
        return _end(payment, Status.FAILED, at=at, failure_reason=reason)
    _charge_fee(payment, row, at=at)
    settled_at = row.settled_at or at
    _end(payment, Status.SETTLED, at=at, settled_date=settled_at.astimezone(UTC).date())
    bill = payment.bill
    if bills.settlement_status(bill, bill.payments.all()) is SettlementStatus.SETTLED:
        transition(bill, BillStatus.PAID)
    return payment


def _end(payment: BillPayment, status: Status, *, at: datetime, **values: Any) -> BillPayment:
    """Settle or fail a payment, set the columns `values`, and send `status_began`."""
    transition(payment, status, **values)
    status_began.send(BillPayment, rows=[payment], at=at)
    return payment


def _charge_fee(payment: BillPayment, row: Transaction, *, at: datetime) -> None:
    """Post the fee of the payment's method, if it has one, even if it overdraws the account."""
    fee_cents = PaymentRule.objects.get(method=payment.method).fee_cents
    if not fee_cents:
        return
    fee = Transaction(
        account=row.account,
        transaction_type=TransactionType.FEE,
        amount_cents=-fee_cents,
        occurred_at=at,
        category_id="BANK_FEES",
        description=f"Fee: {PaymentMethod(payment.method).label}",
    )
    ledger.post(
        fee, at=at, allow_overdraft=True, idempotency_key=f"bill-payment-fee-{payment.external_id}"
    )

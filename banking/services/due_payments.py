"""Send due payments of bills, and settle arrived payments, each in its own transaction."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from banking.choices import BillPaymentStatus
from banking.models import BillPayment
from banking.queries import bills
from banking.queries.bills import lock_bill
from banking.services import balances, bill_payments, ledger

NO_FUNDS = "The available balance does not cover it."
NO_ACCOUNT = "There is no open checking account."
FROZEN = "The account sends no payments at the moment."


@dataclass(frozen=True)
class Outcome:
    """The outcome of a payment; `fault` is empty if it was sent or settled."""

    payment: BillPayment
    fault: str = ""

    @property
    def is_stuck(self) -> bool:
        """Return whether the payment has not moved, and a member of staff has to look at it."""
        return bool(self.fault) and self.payment.status != BillPaymentStatus.FAILED


def send_due(*, at: datetime) -> Iterator[Outcome]:
    """Send the scheduled payments that are due, oldest first, and yield the outcome of each.

    A payment fails if the paying account lacks the funds or is frozen, or if the business has no
    open checking account. Skips payments that another process sends or cancels meanwhile. Nothing
    is sent before the outcomes are read.
    """
    for payment in bills.list_due_payments(at=at):
        if outcome := _send(payment, at=at):
            yield outcome


def settle_arrived(*, at: datetime) -> Iterator[Outcome]:
    """Settle the payments that arrived, oldest first, and yield the outcome of each.

    A payment whose hold was released fails. A payment that the ledger refuses stays as it is, and
    its outcome `is_stuck`. Skips payments that another process settles or fails meanwhile. Nothing
    is settled before the outcomes are read.
    """
    for payment in bills.list_arrived_payments(at=at):
        if outcome := _settle(payment, at=at):
            yield outcome


@transaction.atomic
def _send(payment: BillPayment, *, at: datetime) -> Outcome | None:
    if not _lock(payment, BillPaymentStatus.SCHEDULED):
        return None
    try:
        return Outcome(bill_payments.send_payment(payment, at=at))
    except balances.InsufficientFunds:
        reason = NO_FUNDS
    except balances.AccountClosed:
        reason = NO_ACCOUNT
    except balances.AccountFrozen:
        reason = FROZEN
    return Outcome(bill_payments.fail_payment(payment, at=at, reason=reason), fault=reason)


@transaction.atomic
def _settle(payment: BillPayment, *, at: datetime) -> Outcome | None:
    if not _lock(payment, BillPaymentStatus.PROCESSING):
        return None
    try:
        ended = bill_payments.settle_payment(payment, at=at)
    except (balances.AccountClosed, ledger.BeforeOpening, ledger.MonthClosed) as exc:
        return Outcome(payment, fault=str(exc))
    return Outcome(ended, fault=ended.failure_reason)


def _lock(payment: BillPayment, status: BillPaymentStatus) -> bool:
    """Lock the bill of a payment and return whether the payment still has the status."""
    bill = lock_bill(payment.bill_id)
    return bill.payments.filter(pk=payment.pk, status=status).exists()

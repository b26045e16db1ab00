"""Bills: enter and cancel."""

from datetime import date, datetime

from django.db import transaction

from banking.choices import BillFrequency, BillPaymentStatus, BillStatus
from banking.models import Bill, Supplier
from banking.transitions import transition


class NumberTaken(Exception):
    """The supplier sent another bill of this number."""


class PaymentsUnderway(Exception):
    """Payments of the bill have left, or arrived, and cannot be called back."""


def create_bill(
    supplier: Supplier,
    *,
    number: str,
    amount_cents: int,
    invoice_date: date,
    due_date: date,
    at: datetime,
    currency_code: str = "USD",
    description: str = "",
    frequency: BillFrequency | None = None,
    next_payment_date: date | None = None,
    recurrence_end_date: date | None = None,
) -> Bill:
    """Enter a bill; the same bill again is the one that is there. Raises: NumberTaken."""
    asked = {
        "amount_cents": amount_cents,
        "currency_code": currency_code,
        "invoice_date": invoice_date,
        "due_date": due_date,
    }
    bill, _ = Bill.objects.get_or_create(
        supplier=supplier,
        number=number,
        defaults={
            **asked,
            "business_id": supplier.business_id,
            "status": BillStatus.PENDING,
            "description": description,
            "frequency": frequency or "",
            "next_payment_date": next_payment_date,
            "recurrence_end_date": recurrence_end_date,
            "created_at": at,
        },
    )
    if any(getattr(bill, name) != value for name, value in asked.items()):
        raise NumberTaken(f"{supplier} sent another bill of this number")
    return bill


@transaction.atomic
def cancel_bill(bill: Bill) -> Bill:
    """Cancel a bill and its payments that have not left; a canceled bill stays as it is.

    Raises: PaymentsUnderway, InvalidTransition.
    """
    bill = lock_bill(bill.pk)
    if bill.status == BillStatus.CANCELED:
        return bill
    if bill.payments.filter(
        status__in=[BillPaymentStatus.PROCESSING, BillPaymentStatus.SETTLED]
    ).exists():
        raise PaymentsUnderway(f"{bill} has payments that left")
    bill.payments.filter(status=BillPaymentStatus.SCHEDULED).update(
        status=BillPaymentStatus.CANCELED
    )
    transition(bill, BillStatus.CANCELED)
    return bill


def lock_bill(bill_id: int) -> Bill:
    """Lock a bill, before any account, and return it as it is now, with supplier and business."""
    rows = Bill.objects.select_for_update(of=("self",), no_key=True)
    return rows.select_related("supplier", "business").get(pk=bill_id)

"""Bills of suppliers, their payments, and the rules of the payment methods."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

from django.db.models import Q, Sum
from django.db.models.functions import Coalesce
from pydantic import Field, StringConstraints

from banking.choices import BillFrequency, BillPaymentStatus, BillStatus, PaymentMethod
from banking.feed.faults import FaultCode, refused
from banking.feed.plain import PlainKind
from banking.feed.registry import Work, register
from banking.feed.schemas import Data, Date, Id, PositiveCents, Reference, Text, Timestamp
from banking.models import Bill, BillPayment, PaymentRule, Supplier, Transaction
from banking.models.bills import COUNTED

SupplierId = Annotated[Id, Reference("suppliers")]
BillId = Annotated[Id, Reference("bills")]
TransactionId = Annotated[Id, Reference("transactions")]
LEFT = [BillPaymentStatus.PROCESSING, BillPaymentStatus.SETTLED]
DUE_FIRST = "A bill is due on its invoice date or later."
NEEDS_FREQUENCY = "Only a recurring bill has this date."
PAYMENTS_UNDERWAY = "A bill with payments that have left cannot be canceled."
LESS_THAN_PAID = "The payments of the bill come to more."
MORE_THAN_REMAINS = "The payments of the bill come to more than its amount."
SETTLED_DATE = "A payment has a settledDate if it is settled, and only then."
FAILURE = "A payment has a failureReason if it failed, and only then."
WRONG_TRANSACTION = "This is a transaction of another business, or of another amount."


class BillData(Data):
    """A bill of a supplier to a business; a recurring bill has a frequency."""

    supplier: SupplierId
    number: Annotated[str, StringConstraints(min_length=1, max_length=40)]
    status: BillStatus
    amount_cents: PositiveCents
    currency_code: Literal["USD"] = "USD"
    description: Text = ""
    invoice_date: Date
    due_date: Date
    frequency: BillFrequency | None = None
    next_payment_date: Date | None = None
    recurrence_end_date: Date | None = None
    created_at: Timestamp


class BillPaymentData(Data):
    """A payment of a bill by the bank's core system.

    The money leaves by `transaction`: a transaction of the same business with the negative amount,
    which is sent before.
    """

    bill: BillId
    method: PaymentMethod
    amount_cents: PositiveCents
    scheduled_date: Date
    settled_date: Date | None = None
    status: BillPaymentStatus
    failure_reason: Annotated[str, StringConstraints(max_length=200)] = ""
    transaction: TransactionId | None = None


class PaymentRuleData(Data):
    """The fee, the limits, the transit time and the cutoff hour of a payment method.

    Each method has one rule. From the cutoff hour on, a payment leaves the next business day.
    `businessDays` pass from the day on which a payment leaves to the day on which it arrives.
    """

    method: PaymentMethod
    fee_cents: Annotated[int, Field(ge=0, lt=2**31, description="US cents.")]
    per_payment_limit_cents: PositiveCents
    daily_limit_cents: PositiveCents
    business_days: Annotated[int, Field(ge=0, le=100)]
    cutoff_hour: Annotated[int, Field(ge=0, le=23, description="UTC.")]


class BillKind(PlainKind[BillData]):
    """Bills. The business of a bill is its supplier's. A bill can be canceled, not removed."""

    def complete(self, works: Sequence[Work[BillData]], *, at: datetime) -> None:
        suppliers = Supplier.objects.filter(pk__in={work.row.supplier_id for work in works})
        businesses = dict(suppliers.values_list("pk", "business_id"))
        paid = _sums(work.row.pk for work in works if work.had_row)
        for work in works:
            work.row.business_id = businesses[work.row.supplier_id]
            work.row.frequency = work.data.frequency or ""
            _check_dates(work)
            counted, left = paid.get(work.row.pk, (0, 0))
            if counted > work.data.amount_cents:
                work.refuse(LESS_THAN_PAID, "amountCents")
            if left and work.data.status == BillStatus.CANCELED:
                work.refuse(PAYMENTS_UNDERWAY, "status")

    def remove(self, row: Bill, *, at: datetime) -> None:
        reason = "A bill cannot be removed; send its status CANCELED instead."
        raise refused(FaultCode.NOT_REMOVABLE, reason=reason)

    def represent(self, row: Bill) -> dict[str, Any]:
        return super().represent(row) | {"frequency": row.frequency or None}


class BillPaymentKind(PlainKind[BillPaymentData]):
    """Payments of bills. A payment can be canceled, not removed.

    The scheduled, processing and settled payments of a bill are together not more than the bill.
    """

    announced = frozenset({BillPaymentStatus.SETTLED, BillPaymentStatus.FAILED})

    def save(self, works: Sequence[Work[BillPaymentData]], *, at: datetime) -> None:
        keys = {work.target("bills", work.data.bill) or 0 for work in works}
        locked = Bill.objects.select_for_update(of=("self",), no_key=True).filter(pk__in=keys)
        amounts = {bill.pk: bill.amount_cents for bill in locked.order_by("pk")}
        super().save(works, at=at)
        sums = _sums(amounts)
        for bill, (counted, _) in sums.items():
            if counted > amounts[bill]:
                raise refused(
                    FaultCode.VALUE_REFUSED, "data", "amountCents", reason=MORE_THAN_REMAINS
                )

    def complete(self, works: Sequence[Work[BillPaymentData]], *, at: datetime) -> None:
        bills = Bill.objects.filter(pk__in={work.row.bill_id for work in works})
        businesses = dict(bills.values_list("pk", "business_id"))
        rows = Transaction.objects.in_bulk([work.row.transaction_id for work in works])
        for work in works:
            data = work.data
            if (data.settled_date is not None) != (data.status == BillPaymentStatus.SETTLED):
                work.refuse(SETTLED_DATE, "settledDate")
            if bool(data.failure_reason) != (data.status == BillPaymentStatus.FAILED):
                work.refuse(FAILURE, "failureReason")
            row = rows.get(work.row.transaction_id)
            expected = (businesses[work.row.bill_id], -data.amount_cents)
            if row and (row.business_id, row.amount_cents) != expected:
                work.refuse(WRONG_TRANSACTION, "transaction")

    def remove(self, row: BillPayment, *, at: datetime) -> None:
        reason = "A payment cannot be removed; send its status CANCELED instead."
        raise refused(FaultCode.NOT_REMOVABLE, reason=reason)


def _sums(bills: Iterable[int]) -> dict[int, tuple[int, int]]:
    """Return by bill the cents of the payments with a status in COUNTED, and with one in LEFT."""
    payments = BillPayment.objects.filter(bill__in=list(bills)).values("bill").order_by()
    sums = payments.annotate(
        counted=Coalesce(Sum("amount_cents", filter=Q(status__in=COUNTED)), 0),
        left=Coalesce(Sum("amount_cents", filter=Q(status__in=LEFT)), 0),
    )
    return {one["bill"]: (one["counted"], one["left"]) for one in sums}


def _check_dates(work: Work[BillData]) -> None:
    data = work.data
    if data.due_date < data.invoice_date:
        work.refuse(DUE_FIRST, "dueDate")
    if data.frequency is None and data.next_payment_date:
        work.refuse(NEEDS_FREQUENCY, "nextPaymentDate")
    if data.frequency is None and data.recurrence_end_date:
        work.refuse(NEEDS_FREQUENCY, "recurrenceEndDate")


register(
    BillKind("bills", BillData, Bill, shows=["svc_list_bills", "svc_get_bill"], fixed=["supplier"])
)
register(
    BillPaymentKind(
        "bill-payments",
        BillPaymentData,
        BillPayment,
        shows=["svc_get_bill", "svc_list_bills"],
        fixed=["bill"],
    )
)
register(
    PlainKind(
        "payment-rules",
        PaymentRuleData,
        PaymentRule,
        shows=["svc_get_bill_payment_methods"],
        fixed=["method"],
        identity=["method"],
    )
)

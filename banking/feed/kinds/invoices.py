"""Invoices of businesses to their customers. The sums are computed here."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal

from django.db.models import Model
from pydantic import Field, StringConstraints

from banking.choices import DiscountType, InvoiceStatus, TransactionStatus
from banking.feed.composite import CompositeKind
from banking.feed.faults import FaultCode, refused
from banking.feed.registry import Work, register
from banking.feed.schemas import (
    BusinessId,
    Data,
    Date,
    Id,
    NotNegativeCents,
    Reference,
    Text,
    Timestamp,
)
from banking.invoice_sums import Discount, InvoiceSums, Line
from banking.models import Invoice, InvoiceDiscount, InvoiceLine, Transaction
from banking.money import InvalidAmount

TransactionId = Annotated[Id, Reference("transactions")]
Quantity = Annotated[Decimal, Field(gt=0, max_digits=12, decimal_places=3)]
Value = Annotated[Decimal, Field(gt=0, max_digits=12, decimal_places=2)]
TaxPercent = Annotated[Decimal, Field(ge=0, le=100, max_digits=6, decimal_places=3)]
MAX_ENTRIES = 1000
TOO_LARGE = "The discounts leave nothing to pay."
DUE_FIRST = "An invoice is due on its issue date or later."
PAID_DATE = "An invoice has a paidDate if it is paid, and only then."
PAID_CENTS = "An invoice is paid if, and only if, paidCents are its total."
WRONG_PAYMENT = "A payment is a posted transaction of the business over paidCents."


class InvoiceLinePart(Data):
    """A line of an invoice. Its amount is quantity times unit price, a half cent rounded up."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=255)]
    quantity: Quantity = Decimal(1)
    unit_price_cents: NotNegativeCents


class DiscountPart(Data):
    """A discount on an invoice: a percentage of all lines, or an amount in dollars."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=100)]
    discount_type: DiscountType
    value: Value


class InvoiceData(Data):
    """An invoice of a business. Its sums are computed from lines, discounts and sales tax."""

    business: BusinessId
    number: Annotated[str, StringConstraints(min_length=1, max_length=40)]
    status: Literal["DRAFT", "SENT", "PAID", "CANCELED"]
    recipient_name: Annotated[str, StringConstraints(min_length=1, max_length=255)]
    recipient_email: Annotated[str, StringConstraints(max_length=254)]
    description: Text = ""
    issue_date: Date
    due_date: Date
    ach_payment_allowed: bool = True
    pay_url: Annotated[str, StringConstraints(max_length=200)] = Field(
        default="", description="Page where the customer pays; empty until it is sent."
    )
    lines: Annotated[list[InvoiceLinePart], Field(min_length=1, max_length=MAX_ENTRIES)]
    discounts: Annotated[list[DiscountPart], Field(max_length=MAX_ENTRIES)] = []
    sales_tax_percent: TaxPercent = Decimal(0)
    paid_cents: NotNegativeCents = 0
    paid_date: Date | None = None
    payment: TransactionId | None = None
    created_at: Timestamp


class InvoiceKind(CompositeKind[InvoiceData]):
    """Invoices: only a draft can be removed; any other invoice can be canceled instead."""

    part_models: ClassVar[Mapping[str, type[Model]]] = {
        "lines": InvoiceLine,
        "discounts": InvoiceDiscount,
    }

    def part_values(self, work: Work[InvoiceData], part: Data) -> dict[str, Any]:
        values = super().part_values(work, part)
        if isinstance(part, DiscountPart):
            return values | {"amount_cents": _discount_cents(work, part)}
        return values | {"amount_cents": Line(**values).amount_cents}

    def complete(self, works: Sequence[Work[InvoiceData]], *, at: datetime) -> None:
        payments = Transaction.objects.in_bulk([work.row.payment_id for work in works])
        for work in works:
            if not work.faults:
                _add_up(work)
                _check_payment(work, payments.get(work.row.payment_id))
            if work.data.due_date < work.data.issue_date:
                work.refuse(DUE_FIRST, "dueDate")

    def remove(self, row: Invoice, *, at: datetime) -> None:
        if row.status != InvoiceStatus.DRAFT:
            reason = "A sent invoice cannot be removed; send its status CANCELED instead."
            raise refused(FaultCode.NOT_REMOVABLE, reason=reason)
        super().remove(row, at=at)


def _sums(data: InvoiceData) -> InvoiceSums:
    return InvoiceSums(
        lines=[Line(line.name, line.unit_price_cents, line.quantity) for line in data.lines],
        discounts=[Discount(one.name, one.discount_type, one.value) for one in data.discounts],
        sales_tax_percent=data.sales_tax_percent,
    )


def _discount_cents(work: Work[InvoiceData], part: DiscountPart) -> int:
    """Return the amount of a discount, or refuse the line."""
    subtotal = _sums(work.data).subtotal_cents
    try:
        return Discount(part.name, part.discount_type, part.value).amount_cents(subtotal)
    except InvalidAmount:
        work.refuse("An amount has whole cents.", "discounts")
        return 0


def _add_up(work: Work[InvoiceData]) -> None:
    """Set the sums of the unsaved invoice, or refuse the line."""
    row, sums = work.row, _sums(work.data)
    row.subtotal_cents, row.discount_cents = sums.subtotal_cents, sums.discount_cents
    if row.discount_cents > row.subtotal_cents:
        work.refuse(TOO_LARGE, "discounts")
        return
    row.sales_tax_cents = sums.sales_tax_cents
    row.total_cents = row.subtotal_cents - row.discount_cents + row.sales_tax_cents
    is_paid = work.data.status == InvoiceStatus.PAID
    if (work.data.paid_date is not None) != is_paid:
        work.refuse(PAID_DATE, "paidDate")
    if not _is_fitting(row.paid_cents, row.total_cents, is_paid=is_paid):
        work.refuse(PAID_CENTS, "paidCents")


def _is_fitting(paid_cents: int, total_cents: int, *, is_paid: bool) -> bool:
    """Return whether the paid amount fits the status.

    A paid invoice is paid in full and any other is not, unless its total is zero.
    """
    if is_paid or not total_cents:
        return paid_cents == total_cents
    return paid_cents < total_cents


def _check_payment(work: Work[InvoiceData], payment: Transaction | None) -> None:
    """Refuse a line whose payment has another business or amount, or is not posted."""
    if payment is None:
        return
    is_of_business = payment.business_id == work.row.business_id
    is_posted = payment.status == TransactionStatus.POSTED
    if not (is_of_business and is_posted and payment.amount_cents == work.data.paid_cents):
        work.refuse(WRONG_PAYMENT, "payment")


register(
    InvoiceKind(
        "invoices",
        InvoiceData,
        Invoice,
        shows=["svc_list_invoices", "svc_get_invoice", "svc_get_financial_summary"],
        fixed=["business"],
    )
)

"""Invoices: write, send, take payments, cancel."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import ROUND_HALF_UP, Decimal

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q

from banking import money
from banking.choices import DiscountType, InvoiceStatus, TransactionStatus
from banking.models import Business, Invoice, InvoiceDiscount, InvoiceLine, Posting, Transaction
from banking.services import balances
from banking.transitions import InvalidTransition, transition


class NumberTaken(Exception):
    """The business has another invoice of this number."""


class DiscountTooLarge(Exception):
    """The discounts come to more than the lines."""


class NothingToPay(Exception):
    """The lines and discounts leave nothing to be paid."""


class WrongPayment(Exception):
    """The amount does not fit, or the transaction is not one that pays this invoice.

    It has to be posted, not reversed, of the business, of the amount, and counted nowhere else.
    """


@dataclass(frozen=True)
class Line:
    """A line of an invoice."""

    name: str
    unit_price_cents: int
    quantity: Decimal = Decimal(1)

    @property
    def amount_cents(self) -> int:
        """Return the amount of the line, a half cent rounded up."""
        return int((self.quantity * self.unit_price_cents).quantize(Decimal(1), ROUND_HALF_UP))


@dataclass(frozen=True)
class Discount:
    """A discount: `value` percent of all lines, or `value` dollars."""

    name: str
    discount_type: DiscountType
    value: Decimal

    def amount_cents(self, subtotal_cents: int) -> int:
        """Return the amount of the discount. Raises: InvalidAmount for fractions of a cent."""
        if self.discount_type == DiscountType.PERCENT:
            return money.percent_of(subtotal_cents, self.value)
        return money.cents(self.value)


@dataclass(frozen=True)
class InvoiceDetails:
    """The content of an invoice; the sums follow. Sales tax applies after discounts."""

    number: str
    recipient_name: str
    recipient_email: str
    issue_date: date
    due_date: date
    lines: Sequence[Line]
    discounts: Sequence[Discount] = ()
    sales_tax_percent: Decimal = Decimal(0)
    description: str = ""
    ach_payment_allowed: bool = True

    @property
    def subtotal_cents(self) -> int:
        """Return the sum of all lines."""
        return sum(line.amount_cents for line in self.lines)

    @property
    def discount_cents(self) -> int:
        """Return the sum of all discounts."""
        return sum(discount.amount_cents(self.subtotal_cents) for discount in self.discounts)

    @property
    def sales_tax_cents(self) -> int:
        """Return the sales tax."""
        taxed = self.subtotal_cents - self.discount_cents
        return money.percent_of(taxed, self.sales_tax_percent)


@transaction.atomic
def create_invoice(business: Business, details: InvoiceDetails, *, at: datetime) -> Invoice:
    """Write a draft.

    Raises: NumberTaken, DiscountTooLarge, NothingToPay; ValueError without lines; ValidationError
    for a value that its column does not hold.
    """
    if not details.lines:
        raise ValueError("An invoice has a line at least.")
    if details.discount_cents > details.subtotal_cents:
        raise DiscountTooLarge(f"{details.discount_cents} is more than {details.subtotal_cents}")
    if details.discount_cents == details.subtotal_cents:
        raise NothingToPay(f"Of {details.subtotal_cents} cents nothing is left")
    invoice = _draft(business, details, at=at)
    invoice.clean_fields(exclude=["business", "payment"])
    try:
        with transaction.atomic():
            invoice.save(force_insert=True)
    except IntegrityError:
        if business.invoices.filter(number=details.number).exists():
            raise NumberTaken(f"{business} has another invoice of this number") from None
        raise
    _add_lines(invoice, details.lines)
    _add_discounts(invoice, details)
    return invoice


def send_invoice(invoice: Invoice) -> Invoice:
    """Make a draft an invoice that can be paid under a link. Raises: InvalidTransition."""
    pay_url = f"{settings.BASE_URL}/pay/{secrets.token_urlsafe(24)}"
    transition(invoice, InvoiceStatus.SENT, pay_url=pay_url)
    return invoice


@transaction.atomic
def record_payment(
    invoice: Invoice, amount_cents: int, *, at: datetime, payment: Transaction | None = None
) -> Invoice:
    """Record a full or partial payment by a transaction, which counts once.

    Raises: InvalidTransition for an invoice that is not sent, WrongPayment.
    """
    invoice = Invoice.objects.select_for_update(of=("self",)).get(pk=invoice.pk)
    if payment and invoice.payment_id == payment.pk:
        return invoice
    if invoice.status != InvoiceStatus.SENT:
        raise InvalidTransition(f"{invoice} is {invoice.status} and takes no payment")
    _require_fit(invoice, amount_cents, payment)
    invoice.paid_cents += amount_cents
    invoice.payment = payment or invoice.payment
    if invoice.paid_cents == invoice.total_cents:
        invoice.status, invoice.paid_date = InvoiceStatus.PAID, at.astimezone(UTC).date()
    invoice.save(update_fields=["status", "paid_cents", "paid_date", "payment"])
    return invoice


def cancel_invoice(invoice: Invoice) -> Invoice:
    """Withdraw an invoice on which nothing was paid. Raises: InvalidTransition."""
    transition(invoice, InvoiceStatus.CANCELED, only=Q(paid_cents=0))
    return invoice


def _draft(business: Business, details: InvoiceDetails, *, at: datetime) -> Invoice:
    return Invoice(
        business=business,
        number=details.number,
        status=InvoiceStatus.DRAFT,
        recipient_name=details.recipient_name,
        recipient_email=details.recipient_email,
        description=details.description,
        issue_date=details.issue_date,
        due_date=details.due_date,
        ach_payment_allowed=details.ach_payment_allowed,
        subtotal_cents=details.subtotal_cents,
        discount_cents=details.discount_cents,
        sales_tax_percent=details.sales_tax_percent,
        sales_tax_cents=details.sales_tax_cents,
        total_cents=details.subtotal_cents - details.discount_cents + details.sales_tax_cents,
        created_at=at,
    )


def _add_lines(invoice: Invoice, lines: Sequence[Line]) -> None:
    rows = [
        InvoiceLine(
            invoice=invoice,
            position=position,
            name=line.name,
            quantity=line.quantity,
            unit_price_cents=line.unit_price_cents,
            amount_cents=line.amount_cents,
        )
        for position, line in enumerate(lines, start=1)
    ]
    for row in rows:
        row.clean_fields(exclude=["invoice"])
    InvoiceLine.objects.bulk_create(rows)


def _add_discounts(invoice: Invoice, details: InvoiceDetails) -> None:
    rows = [
        InvoiceDiscount(
            invoice=invoice,
            name=discount.name,
            discount_type=discount.discount_type,
            value=discount.value,
            amount_cents=discount.amount_cents(details.subtotal_cents),
        )
        for discount in details.discounts
    ]
    for row in rows:
        row.clean_fields(exclude=["invoice"])
    InvoiceDiscount.objects.bulk_create(rows)


def _require_fit(invoice: Invoice, amount_cents: int, payment: Transaction | None) -> None:
    if not 0 < amount_cents <= invoice.total_cents - invoice.paid_cents:
        raise WrongPayment(f"{invoice} does not take {amount_cents} cents")
    if payment is None:
        return
    balances.lock_accounts([payment], must_be_open=False)  # under its lock a transaction changes
    if invoice.payment_id or Invoice.objects.filter(payment=payment).exists():
        raise WrongPayment(f"{invoice} has another payment, or {payment} pays another invoice")
    now = Transaction.objects.get(pk=payment.pk)
    if now.business_id != invoice.business_id or now.amount_cents != amount_cents:
        raise WrongPayment(f"{payment} does not bring {amount_cents} cents for {invoice}")
    if now.status != TransactionStatus.POSTED:
        raise WrongPayment(f"{payment} is {now.status}, not posted")
    if Posting.objects.filter(reverses=now.posting_id).exists():
        raise WrongPayment(f"{payment} was reversed")

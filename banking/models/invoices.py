"""Invoices of businesses to their customers."""

from datetime import date

from django.db import models
from django.db.models import F, Q

from banking.choices import STORED_INVOICE_STATUSES, DiscountType, InvoiceStatus
from banking.models.businesses import Business
from banking.models.transactions import Transaction
from foundation.database.constraints import check, unique
from foundation.external_ids import ExternalIdModel


class InvoiceQuerySet(models.QuerySet["Invoice"]):
    """Invoices."""

    def unpaid(self) -> "InvoiceQuerySet":
        """Return the invoices that are sent and not paid, overdue invoices included."""
        return self.filter(status=InvoiceStatus.SENT)

    def overdue(self, *, on: date) -> "InvoiceQuerySet":
        """Return the unpaid invoices whose due date has passed."""
        return self.unpaid().filter(due_date__lt=on)

    def not_yet_due(self, *, on: date) -> "InvoiceQuerySet":
        """Return the unpaid invoices whose due date has not passed."""
        return self.unpaid().filter(due_date__gte=on)


class Invoice(ExternalIdModel):
    """One invoice with its sums; overdue is not stored, it follows from the due date."""

    business = models.ForeignKey(Business, models.PROTECT, related_name="invoices")
    number = models.CharField(max_length=40)
    status = models.CharField(
        max_length=8, choices=[(status.value, status.label) for status in STORED_INVOICE_STATUSES]
    )
    recipient_name = models.CharField(max_length=255)
    recipient_email = models.EmailField()
    description = models.CharField(max_length=500, blank=True)
    issue_date = models.DateField()
    due_date = models.DateField()
    ach_payment_allowed = models.BooleanField(default=True)
    pay_url = models.URLField(blank=True, help_text="Empty until it is sent.")
    subtotal_cents = models.BigIntegerField()
    discount_cents = models.BigIntegerField(default=0)
    sales_tax_percent = models.DecimalField(max_digits=6, decimal_places=3, default=0)
    sales_tax_cents = models.BigIntegerField(default=0)
    total_cents = models.BigIntegerField()
    paid_cents = models.BigIntegerField(default=0)
    paid_date = models.DateField(null=True, blank=True)
    payment = models.OneToOneField(
        Transaction, models.PROTECT, null=True, blank=True, related_name="invoice"
    )
    created_at = models.DateTimeField()

    objects = InvoiceQuerySet.as_manager()

    class Meta:
        constraints = [
            unique("invoice_number_unique", "business", "number"),
            check(
                "invoice_status_known",
                Q(status__in=[status.value for status in STORED_INVOICE_STATUSES]),
            ),
            check(
                "invoice_sums_add_up",
                Q(total_cents=F("subtotal_cents") - F("discount_cents") + F("sales_tax_cents")),
            ),
            check(
                "invoice_sums_not_negative",
                Q(
                    subtotal_cents__gte=0,
                    discount_cents__gte=0,
                    discount_cents__lte=F("subtotal_cents"),
                    sales_tax_cents__gte=0,
                    sales_tax_percent__gte=0,
                    paid_cents__gte=0,
                    paid_cents__lte=F("total_cents"),
                ),
            ),
            check(
                "invoice_paid_iff_paid_in_full",
                Q(
                    status=InvoiceStatus.PAID,
                    paid_cents=F("total_cents"),
                    paid_date__isnull=False,
                )
                | (
                    ~Q(status=InvoiceStatus.PAID)
                    & Q(paid_date=None)
                    & (Q(paid_cents__lt=F("total_cents")) | Q(total_cents=0))
                ),
            ),
            check("invoice_due_after_issue", Q(due_date__gte=F("issue_date"))),
        ]
        indexes = [
            models.Index(name="invoice_newest", fields=["business", "-issue_date", "-id"]),
            models.Index(name="invoice_by_status", fields=["business", "status", "due_date"]),
            models.Index(name="invoice_by_due_date", fields=["business", "due_date"]),
        ]

    def __str__(self) -> str:
        return f"invoice {self.external_id}"

    def status_on(self, today: date) -> InvoiceStatus:
        """Return the status on a day: OVERDUE for a SENT invoice whose due date has passed."""
        late = self.status == InvoiceStatus.SENT and self.due_date < today
        return InvoiceStatus.OVERDUE if late else InvoiceStatus(self.status)


class InvoiceLine(models.Model):
    """One line of an invoice."""

    invoice = models.ForeignKey(Invoice, models.PROTECT, related_name="lines")
    position = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=255)
    quantity = models.DecimalField(max_digits=12, decimal_places=3)
    unit_price_cents = models.BigIntegerField()
    amount_cents = models.BigIntegerField()

    class Meta:
        constraints = [
            unique("invoiceline_position_unique", "invoice", "position"),
            check("invoiceline_quantity_positive", Q(quantity__gt=0)),
            check(
                "invoiceline_prices_not_negative", Q(unit_price_cents__gte=0, amount_cents__gte=0)
            ),
        ]

    def __str__(self) -> str:
        return f"line {self.position} of {self.invoice_id}"


class InvoiceDiscount(models.Model):
    """A discount on an invoice: `value` is a percentage, or an amount in dollars."""

    invoice = models.ForeignKey(Invoice, models.PROTECT, related_name="discounts")
    name = models.CharField(max_length=100)
    discount_type = models.CharField(max_length=7, choices=DiscountType)
    value = models.DecimalField(max_digits=12, decimal_places=2)
    amount_cents = models.BigIntegerField()

    class Meta:
        constraints = [
            check("invoicediscount_type_known", Q(discount_type__in=DiscountType.values)),
            check("invoicediscount_positive", Q(value__gt=0, amount_cents__gte=0)),
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.invoice_id}"


class ServiceItem(ExternalIdModel):
    """A saved template for a line of an invoice."""

    business = models.ForeignKey(Business, models.PROTECT, related_name="service_items")
    name = models.CharField(max_length=255)
    description = models.CharField(max_length=500, blank=True)
    unit_price_cents = models.BigIntegerField()

    class Meta:
        constraints = [
            unique("serviceitem_name_unique", "business", "name"),
            check("serviceitem_price_not_negative", Q(unit_price_cents__gte=0)),
        ]

    def __str__(self) -> str:
        return self.name

"""Bills of suppliers and their payments."""

from typing import Any, ClassVar

from django.db import models
from django.db.models import OuterRef, Q, Subquery, Sum
from django.db.models.functions import Coalesce

from banking.choices import BillFrequency, BillPaymentStatus, BillStatus, PaymentMethod
from banking.models.businesses import Business
from banking.models.stored_files import SentFile
from banking.models.suppliers import Supplier
from banking.models.transactions import Transaction
from foundation.database.constraints import check, unique
from foundation.external_ids import ExternalIdModel

COUNTED = [
    BillPaymentStatus.SCHEDULED,
    BillPaymentStatus.PROCESSING,
    BillPaymentStatus.SETTLED,
]


class BillQuerySet(models.QuerySet["Bill"]):
    """Bills."""

    def with_remaining(self) -> "BillQuerySet":
        """Add `remaining_cents`: the amount less its scheduled, processing and settled payments."""
        payments = BillPayment.objects.filter(bill=OuterRef("pk"), status__in=COUNTED).order_by()
        paid: Any = payments.values("bill").annotate(sum=Sum("amount_cents")).values("sum")
        return self.annotate(remaining_cents=models.F("amount_cents") - Coalesce(Subquery(paid), 0))


class Bill(ExternalIdModel):
    """A bill of a supplier. A recurring bill also has `frequency` and its next payment date."""

    business = models.ForeignKey(Business, models.PROTECT, related_name="bills")
    supplier = models.ForeignKey(Supplier, models.PROTECT, related_name="bills")
    number = models.CharField(max_length=40)
    status = models.CharField(max_length=8, choices=BillStatus)
    amount_cents = models.BigIntegerField()
    currency_code = models.CharField(max_length=3, default="USD")
    description = models.CharField(max_length=500, blank=True)
    invoice_date = models.DateField()
    due_date = models.DateField()
    frequency = models.CharField(max_length=9, choices=BillFrequency, blank=True)
    next_payment_date = models.DateField(null=True, blank=True)
    recurrence_end_date = models.DateField(null=True, blank=True)
    created_at = models.DateTimeField()

    objects = BillQuerySet.as_manager()

    class Meta:
        constraints = [
            unique("bill_number_unique", "supplier", "number"),
            check("bill_status_known", Q(status__in=BillStatus.values)),
            check("bill_amount_positive", Q(amount_cents__gt=0)),
            check("bill_due_after_invoice", Q(due_date__gte=models.F("invoice_date"))),
            check(
                "bill_dates_need_a_frequency",
                Q(frequency__in=BillFrequency.values)
                | Q(frequency="", next_payment_date=None, recurrence_end_date=None),
            ),
        ]
        indexes = [
            models.Index(name="bill_by_due_date", fields=["business", "due_date", "id"]),
            models.Index(name="bill_by_creation", fields=["business", "created_at", "id"]),
            models.Index(name="bill_by_status", fields=["business", "status", "due_date", "id"]),
        ]

    def __str__(self) -> str:
        return f"bill {self.external_id}"

    @property
    def is_recurring(self) -> bool:
        """Return whether the bill recurs."""
        return bool(self.frequency)


class BillPayment(ExternalIdModel):
    """One payment of a bill."""

    bill = models.ForeignKey(Bill, models.PROTECT, related_name="payments")
    method = models.CharField(max_length=20, choices=PaymentMethod)
    amount_cents = models.BigIntegerField()
    scheduled_date = models.DateField()
    settled_date = models.DateField(null=True, blank=True)
    status = models.CharField(max_length=10, choices=BillPaymentStatus)
    failure_reason = models.CharField(max_length=200, blank=True)
    transaction = models.OneToOneField(
        Transaction, models.PROTECT, null=True, blank=True, related_name="bill_payment"
    )

    class Meta:
        constraints = [
            check("billpayment_amount_positive", Q(amount_cents__gt=0)),
            check("billpayment_method_known", Q(method__in=PaymentMethod.values)),
            check("billpayment_status_known", Q(status__in=BillPaymentStatus.values)),
            check(
                "billpayment_settled_date_iff_settled",
                Q(status=BillPaymentStatus.SETTLED) ^ Q(settled_date=None),
            ),
            check(
                "billpayment_reason_iff_failed",
                Q(status=BillPaymentStatus.FAILED) ^ Q(failure_reason=""),
            ),
        ]

    def __str__(self) -> str:
        return f"payment {self.external_id}"


class BillAttachment(SentFile, ExternalIdModel):
    """A file that came with a bill. `external_id` is the tools' `documentId`."""

    bill = models.ForeignKey(Bill, models.PROTECT, related_name="attachments")
    uploaded_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"attachment {self.external_id}"


class PaymentRule(models.Model):
    """The fee, the limits, the transit time and the daily cutoff hour of a payment method."""

    named_by: ClassVar[tuple[str, ...]] = ("method",)

    method = models.CharField(max_length=20, choices=PaymentMethod, unique=True)
    fee_cents = models.PositiveIntegerField()
    per_payment_limit_cents = models.BigIntegerField()
    daily_limit_cents = models.BigIntegerField()
    business_days = models.PositiveSmallIntegerField(
        help_text="From the day it leaves to the day it arrives."
    )
    cutoff_hour = models.PositiveSmallIntegerField(help_text="Later (UTC) it leaves the next day.")

    class Meta:
        constraints = [
            check("paymentrule_method_known", Q(method__in=PaymentMethod.values)),
            check(
                "paymentrule_limits_positive",
                Q(
                    per_payment_limit_cents__gt=0,
                    daily_limit_cents__gte=models.F("per_payment_limit_cents"),
                    cutoff_hour__lte=23,
                ),
            ),
        ]

    def __str__(self) -> str:
        return str(PaymentMethod(self.method).label)

"""Transactions: what happened on an account, as its owner reads it."""

from datetime import date, datetime, timedelta

from django.core.validators import RegexValidator
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Abs
from uuid_utils.compat import uuid7

from banking.choices import (
    CategoryType,
    Direction,
    Granularity,
    TransactionStatus,
    TransactionType,
)
from banking.models.accounts import Account
from banking.models.addresses import PostalAddress
from banking.models.businesses import Business
from banking.models.cards import Card
from banking.models.ledger import Posting

MCC = RegexValidator(r"^[0-9]{4}$")
DAY = timedelta(days=1)
EARLIEST, LATEST = date(1900, 1, 1), date(2999, 12, 31)  # no record is older or newer


class Category(models.Model):
    """What money was spent on, or came from."""

    code = models.CharField(max_length=24, primary_key=True)
    display_name = models.CharField(max_length=100)
    category_type = models.CharField(max_length=8, choices=CategoryType)

    class Meta:
        verbose_name_plural = "categories"
        constraints = [
            models.CheckConstraint(
                name="category_type_known", condition=Q(category_type__in=CategoryType.values)
            ),
        ]

    def __str__(self) -> str:
        return self.display_name


class Merchant(models.Model):
    """Who sold something, under the name that people know."""

    name = models.CharField(max_length=120)
    mcc = models.CharField("MCC", max_length=4, blank=True, validators=[MCC])
    website = models.URLField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(name="merchant_unique", fields=["name", "mcc"]),
            models.CheckConstraint(
                name="merchant_mcc_has_four_digits",
                condition=Q(mcc="") | Q(mcc__regex=r"^[0-9]{4}$"),
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Location(PostalAddress):
    """Where something was bought."""

    key = models.CharField(max_length=32, unique=True)
    latitude = models.DecimalField(max_digits=9, decimal_places=6, null=True, blank=True)
    longitude = models.DecimalField(max_digits=9, decimal_places=6, null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="location_coordinates_on_earth",
                condition=Q(latitude=None, longitude=None)
                | Q(
                    latitude__isnull=False,
                    longitude__isnull=False,
                    latitude__gte=-90,
                    latitude__lte=90,
                    longitude__gte=-180,
                    longitude__lte=180,
                ),
            ),
        ]

    def __str__(self) -> str:
        return self.key


class TransactionQuerySet(models.QuerySet["Transaction"]):
    """Transactions."""

    def live(self) -> "TransactionQuerySet":
        """Return the pending and the posted ones; a released hold is nobody's business any more."""
        return self.filter(status__in=[TransactionStatus.PENDING, TransactionStatus.POSTED])

    def pending(self) -> "TransactionQuerySet":
        """Return the holds."""
        return self.filter(status=TransactionStatus.PENDING)

    def due(self, *, at: datetime) -> "TransactionQuerySet":
        """Return the holds that should have settled by then."""
        return self.pending().filter(settles_at__lte=at)

    def posted(self) -> "TransactionQuerySet":
        """Return those that are in the ledger."""
        return self.filter(status=TransactionStatus.POSTED)

    def newest_first(self) -> "TransactionQuerySet":
        """Order by when it happened; ids decide between equals."""
        return self.order_by("-occurred_at", "-id")


class Transaction(models.Model):
    """One movement on one account: pending as a hold, or posted with its entry in the ledger.

    `amount_cents` is signed, negative when money leaves; once posted it is the settled amount.
    `source_id` is the id in the file it was imported from. Original amounts are in the smallest
    unit of their currency.
    """

    external_id = models.UUIDField(unique=True, default=uuid7, editable=False)
    business = models.ForeignKey(
        Business, models.PROTECT, related_name="transactions", db_index=False
    )
    account = models.ForeignKey(
        Account, models.PROTECT, related_name="transactions", db_index=False
    )
    posting = models.ForeignKey(
        Posting, models.PROTECT, null=True, blank=True, related_name="transactions", db_index=False
    )
    transaction_type = models.CharField(max_length=14, choices=TransactionType)
    status = models.CharField(max_length=8, choices=TransactionStatus)
    amount_cents = models.BigIntegerField()
    occurred_at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True, blank=True)
    settles_at = models.DateTimeField(
        null=True, blank=True, help_text="When a pending one is due to settle."
    )
    category = models.ForeignKey(
        Category, models.PROTECT, related_name="transactions", db_index=False
    )
    is_business = models.BooleanField(default=True)
    description = models.CharField(max_length=255, blank=True)
    merchant = models.ForeignKey(
        Merchant, models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    merchant_raw_name = models.CharField(
        max_length=120, blank=True, help_text="As the network or the file spelled it."
    )
    location = models.ForeignKey(
        Location, models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    card = models.ForeignKey(
        Card, models.PROTECT, null=True, blank=True, related_name="transactions", db_index=False
    )
    original_amount_cents = models.BigIntegerField(null=True, blank=True)
    original_currency = models.CharField(max_length=3, blank=True)
    note = models.CharField(max_length=255, blank=True)
    source_id = models.CharField(max_length=100, blank=True, editable=False)

    objects = TransactionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="transaction_amount_not_zero", condition=~Q(amount_cents=0)
            ),
            models.CheckConstraint(
                name="transaction_type_known",
                condition=Q(transaction_type__in=TransactionType.values),
            ),
            models.CheckConstraint(
                name="transaction_posted_iff_in_the_ledger",
                condition=Q(
                    status=TransactionStatus.POSTED,
                    posting__isnull=False,
                    settled_at__isnull=False,
                )
                | Q(
                    status__in=[TransactionStatus.PENDING, TransactionStatus.RELEASED],
                    posting=None,
                    settled_at=None,
                ),
            ),
            models.CheckConstraint(
                name="transaction_original_amount_has_currency",
                condition=Q(original_amount_cents=None, original_currency="")
                | Q(original_amount_cents__isnull=False, original_currency__regex=r"^[A-Z]{3}$"),
            ),
            models.UniqueConstraint(
                name="transaction_one_per_posting_and_account", fields=["posting", "account"]
            ),
            models.UniqueConstraint(
                name="transaction_source_unique",
                fields=["account", "source_id"],
                condition=~Q(source_id=""),
            ),
        ]
        indexes = [
            models.Index(
                F("business"),
                F("occurred_at").desc(),
                F("id").desc(),
                include=[
                    "amount_cents",
                    "transaction_type",
                    "status",
                    "category",
                    "account",
                    "is_business",
                ],
                name="transaction_search",
            ),
            models.Index(
                F("account"),
                F("transaction_type"),
                F("status"),
                F("category"),
                F("is_business"),
                F("occurred_at").desc(),
                F("id").desc(),
                name="transaction_kind",
            ),
            models.Index(F("business"), Abs("amount_cents"), name="transaction_amount"),
            models.Index(
                fields=["business", "location"],
                condition=Q(location__isnull=False),
                name="transaction_location",
            ),
            models.Index(
                name="transaction_due",
                fields=["settles_at", "id"],
                condition=Q(status=TransactionStatus.PENDING),
            ),
        ]

    def __str__(self) -> str:
        return f"transaction {self.external_id}"

    @property
    def is_pending(self) -> bool:
        """Say whether it is still a hold."""
        return self.status == TransactionStatus.PENDING

    @property
    def direction(self) -> Direction:
        """Return whether money came in or left."""
        return Direction.CREDIT if self.amount_cents > 0 else Direction.DEBIT

    @property
    def merchant_name(self) -> str:
        """Return the merchant's known name, else the one that came with the transaction."""
        return self.merchant.name if self.merchant else self.merchant_raw_name

    @property
    def settlement_cents(self) -> int | None:
        """Return the amount that settled; None while it is pending."""
        return None if self.settled_at is None else self.amount_cents

    @property
    def settlement_date(self) -> date | None:
        """Return the day (UTC) on which it settled."""
        return None if self.settled_at is None else self.settled_at.date()

    @property
    def held_cents(self) -> int:
        """Return what a pending one keeps back; money that is still to come keeps back nothing."""
        return max(0, -self.amount_cents) if self.is_pending else 0


class TransactionTotalQuerySet(models.QuerySet["TransactionTotal"]):
    """Totals of transactions."""

    def between(self, first: date | None, last: date | None) -> "TransactionTotalQuerySet":
        """Return the fewest totals that cover the days from `first` to `last`, both included.

        Shape: whole months by month, the days at either end by day; None leaves an end open.
        """
        first = min(max(first, EARLIEST), LATEST) if first else None
        last = min(max(last, EARLIEST), LATEST) if last else None
        months_from = next_month(first - DAY) if first else EARLIEST
        months_until = (last + DAY).replace(day=1) if last else date.max
        months = Q(
            granularity=Granularity.MONTH, starts_on__gte=months_from, starts_on__lt=months_until
        )
        if months_from > months_until:
            days = Q(starts_on__gte=first, starts_on__lte=last)
        else:
            days = Q(pk=None)
            if first:
                days |= Q(starts_on__gte=first, starts_on__lt=months_from)
            if last:
                days |= Q(starts_on__gte=months_until, starts_on__lte=last)
        return self.filter(months | (Q(granularity=Granularity.DAY) & days))


def next_month(day: date) -> date:
    """Return the first day of the month after the one that `day` lies in."""
    return (day.replace(day=1) + 32 * DAY).replace(day=1)


class TransactionTotal(models.Model):
    """How many live transactions a day or a month has of a kind, and what they add up to.

    Written in the transaction that writes theirs, so that counts and summaries read a few rows.
    Days are those of `occurred_at` in UTC; a month starts on its first.
    """

    business = models.ForeignKey(Business, models.PROTECT, related_name="+", db_index=False)
    granularity = models.CharField(max_length=7, choices=Granularity)
    starts_on = models.DateField()
    account = models.ForeignKey(Account, models.PROTECT, related_name="+", db_index=False)
    transaction_type = models.CharField(max_length=14, choices=TransactionType)
    is_pending = models.BooleanField()
    category = models.ForeignKey(Category, models.PROTECT, related_name="+", db_index=False)
    is_business = models.BooleanField()
    count = models.IntegerField()
    in_cents = models.BigIntegerField()
    out_cents = models.BigIntegerField(help_text="Not signed.")

    objects = TransactionTotalQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                name="transactiontotal_unique",
                fields=[
                    "business",
                    "granularity",
                    "starts_on",
                    "account",
                    "transaction_type",
                    "is_pending",
                    "category",
                    "is_business",
                ],
            ),
            models.CheckConstraint(
                name="transactiontotal_not_negative",
                condition=Q(count__gte=0, in_cents__gte=0, out_cents__gte=0),
            ),
            models.CheckConstraint(
                name="transactiontotal_granularity_known",
                condition=Q(granularity__in=[Granularity.DAY, Granularity.MONTH]),
            ),
        ]
        indexes = [
            models.Index(
                name="transactiontotal_sums",
                fields=["business", "granularity", "starts_on"],
                include=[
                    "account",
                    "transaction_type",
                    "is_pending",
                    "category",
                    "is_business",
                    "count",
                    "in_cents",
                    "out_cents",
                ],
            ),
        ]

    def __str__(self) -> str:
        return f"total of {self.business_id} from {self.starts_on}"


class Receipt(models.Model):
    """What the merchant wrote down of a purchase; with the lines it adds up to the amount."""

    transaction = models.OneToOneField(Transaction, models.PROTECT, related_name="receipt")
    number = models.CharField(max_length=40)
    issued_at = models.DateTimeField()
    tax_cents = models.PositiveIntegerField(default=0)
    tip_cents = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return f"receipt of {self.transaction_id}"


class ReceiptLine(models.Model):
    """One line of a receipt."""

    receipt = models.ForeignKey(Receipt, models.PROTECT, related_name="lines")
    position = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=200)
    quantity = models.PositiveIntegerField(default=1)
    unit_price_cents = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                name="receiptline_position_unique", fields=["receipt", "position"]
            )
        ]

    def __str__(self) -> str:
        return f"line {self.position} of {self.receipt_id}"

    @property
    def amount_cents(self) -> int:
        """Return what the line costs."""
        return self.quantity * self.unit_price_cents

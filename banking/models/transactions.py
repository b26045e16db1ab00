"""Transactions of accounts, as their owners see them."""

from datetime import date, datetime

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Abs

from banking.choices import Direction, TransactionStatus, TransactionType
from banking.models.accounts import Account
from banking.models.businesses import Business
from banking.models.cards import Card
from banking.models.categories import Category
from banking.models.ledger import Posting
from banking.models.merchants import Location, Merchant
from foundation.database.constraints import check, unique
from foundation.database.text_hashes import TextHash
from foundation.external_ids import ExternalIdModel

# what the search may ask of a transaction besides its day and its amount
COUNTED_BY = ["transaction_type", "status", "category", "account", "is_business"]


class TransactionQuerySet(models.QuerySet["Transaction"]):
    """Transactions."""

    def live(self) -> "TransactionQuerySet":
        """Return the pending and the posted transactions, without released holds."""
        return self.filter(status__in=[TransactionStatus.PENDING, TransactionStatus.POSTED])

    def pending(self) -> "TransactionQuerySet":
        """Return the pending transactions, which are called holds."""
        return self.filter(status=TransactionStatus.PENDING)

    def due(self, *, at: datetime) -> "TransactionQuerySet":
        """Return the pending transactions whose `settles_at` has come at a time."""
        return self.pending().filter(settles_at__lte=at)

    def posted(self) -> "TransactionQuerySet":
        """Return the transactions that are posted to the ledger."""
        return self.filter(status=TransactionStatus.POSTED)

    def newest_first(self) -> "TransactionQuerySet":
        """Order by descending `occurred_at`, transactions of the same time by descending id."""
        return self.order_by("-occurred_at", "-id")


class Transaction(ExternalIdModel):
    """One movement on one account: pending as a hold, posted with its ledger entry, or released.

    `amount_cents` is signed, negative when money leaves; once posted it is the settled amount.
    `source_id` is the id in the file it was imported from. Original amounts are in the smallest
    unit of their currency.
    """

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
            check("transaction_amount_not_zero", ~Q(amount_cents=0)),
            check("transaction_type_known", Q(transaction_type__in=TransactionType.values)),
            check(
                "transaction_posted_iff_in_the_ledger",
                Q(
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
            check(
                "transaction_original_amount_has_currency",
                Q(original_amount_cents=None, original_currency="")
                | Q(original_amount_cents__isnull=False, original_currency__regex=r"^[A-Z]{3}$"),
            ),
            unique("transaction_one_per_posting_and_account", "posting", "account"),
            unique("transaction_source_unique", "account", "source_id", condition=~Q(source_id="")),
        ]
        indexes = [
            models.Index(
                F("business"),
                F("occurred_at").desc(),
                F("id").desc(),
                include=["amount_cents", *COUNTED_BY],
                name="transaction_search",
            ),
            models.Index(
                F("account"),
                TextHash("transaction_type", "status", "category"),
                F("is_business"),
                F("occurred_at").desc(),
                F("id").desc(),
                name="transaction_kind",
            ),
            models.Index(  # covering: a count of many amounts takes a third of the time
                F("business"),
                Abs("amount_cents"),
                include=["amount_cents", "occurred_at", *COUNTED_BY],
                name="transaction_amounts",
            ),
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
        """Return whether the transaction is pending, that is a hold."""
        return self.status == TransactionStatus.PENDING

    @property
    def direction(self) -> Direction:
        """Return whether money came in or left."""
        return Direction.CREDIT if self.amount_cents > 0 else Direction.DEBIT

    @property
    def merchant_name(self) -> str:
        """Return the merchant's known name, else the name in the transaction's data."""
        return self.merchant.name if self.merchant else self.merchant_raw_name

    @property
    def settlement_cents(self) -> int | None:
        """Return the settled amount, negative for outgoing; None for pending and released holds."""
        return None if self.settled_at is None else self.amount_cents

    @property
    def settlement_date(self) -> date | None:
        """Return the day (UTC) on which the transaction settled, or None."""
        return None if self.settled_at is None else self.settled_at.date()

    @property
    def held_cents(self) -> int:
        """Return the held amount of a pending transaction; incoming money holds nothing."""
        return max(0, -self.amount_cents) if self.is_pending else 0

"""Totals of transactions, by day and by month."""

from datetime import date

from django.db import models
from django.db.models import Q

from banking.choices import Granularity, TransactionType
from banking.days import DAY, EARLIEST, LATEST, next_month
from banking.models.accounts import Account
from banking.models.businesses import Business
from banking.models.categories import Category
from foundation.database.constraints import check, unique

KIND = ["account", "transaction_type", "is_pending", "category", "is_business"]
MERCHANT_KIND = ["merchant_key", "raw_name", "category", "is_business"]
FIGURES = ["count", "in_cents", "out_cents"]


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


class TransactionTotal(models.Model):
    """The number and the sums of transactions of a day or month with the same KIND columns.

    Counts pending and posted transactions, not released ones. Saved in the database transaction
    that saves the transactions. Counts and summaries read it. Days are those of `occurred_at` in
    UTC; a month starts on its first.
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
            unique("transactiontotal_unique", "business", "granularity", "starts_on", *KIND),
            check(
                "transactiontotal_not_negative", Q(count__gte=0, in_cents__gte=0, out_cents__gte=0)
            ),
            check(
                "transactiontotal_granularity_known",
                Q(granularity__in=[Granularity.DAY, Granularity.MONTH]),
            ),
        ]
        indexes = [
            models.Index(
                name="transactiontotal_sums",
                fields=["business", "granularity", "starts_on"],
                include=[*KIND, *FIGURES],
            ),
        ]

    def __str__(self) -> str:
        return f"total of {self.business_id} from {self.starts_on}"


class MerchantTotal(models.Model):
    """The number and the sum of a month's posted transactions with a merchant.

    Written with the transactions, as `TransactionTotal` is. `merchant_key` is the primary key of
    the known merchant, or 0; then `raw_name` is the name in the transactions' data, empty where
    they name none.
    """

    business = models.ForeignKey(Business, models.PROTECT, related_name="+", db_index=False)
    starts_on = models.DateField()
    merchant_key = models.BigIntegerField()
    raw_name = models.CharField(max_length=120, blank=True)
    category = models.ForeignKey(Category, models.PROTECT, related_name="+", db_index=False)
    is_business = models.BooleanField()
    count = models.IntegerField()
    in_cents = models.BigIntegerField()
    out_cents = models.BigIntegerField(help_text="Not signed.")

    class Meta:
        constraints = [
            unique("merchanttotal_unique", "business", "starts_on", *MERCHANT_KIND),
            check("merchanttotal_not_negative", Q(count__gte=0, in_cents__gte=0, out_cents__gte=0)),
            check("merchanttotal_one_name", Q(merchant_key=0) | Q(merchant_key__gt=0, raw_name="")),
        ]
        indexes = [
            models.Index(
                name="merchanttotal_sums",
                fields=["business", "starts_on"],
                include=[*MERCHANT_KIND, *FIGURES],
            ),
        ]

    def __str__(self) -> str:
        return f"total of {self.business_id} with a merchant from {self.starts_on}"

"""Taxes: the bucket that money is set aside in, and tax statements."""

from datetime import date

from django.db import models
from django.db.models import Q

from banking.choices import FULL_YEAR
from banking.days import month_end
from banking.models.accounts import Account
from banking.models.businesses import Business
from banking.models.stored_files import StoredFile
from foundation.database.constraints import check, unique
from foundation.external_ids import ExternalIdModel


class TaxBucket(models.Model):
    """The settings by which a business sets taxes aside; the money is the account's balance."""

    account = models.OneToOneField(Account, models.PROTECT, related_name="tax_bucket")
    is_active = models.BooleanField(default=True)
    is_auto_save_enabled = models.BooleanField(default=False)
    auto_set_aside_percent = models.DecimalField(max_digits=5, decimal_places=2, default=0)
    estimated_tax_rate_percent = models.DecimalField(max_digits=5, decimal_places=2, default=0)

    class Meta:
        constraints = [
            check(
                "taxbucket_percents_0_to_100",
                Q(
                    auto_set_aside_percent__gte=0,
                    auto_set_aside_percent__lte=100,
                    estimated_tax_rate_percent__gte=0,
                    estimated_tax_rate_percent__lte=100,
                ),
            ),
        ]

    def __str__(self) -> str:
        return f"tax bucket of {self.account_id}"


class TaxStatement(StoredFile, ExternalIdModel):
    """A report on a quarter for the tax return; quarter 5 is the whole year."""

    business = models.ForeignKey(Business, models.PROTECT, related_name="tax_statements")
    tax_year = models.PositiveSmallIntegerField()
    quarter = models.PositiveSmallIntegerField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            unique("taxstatement_period_unique", "business", "tax_year", "quarter"),
            check("taxstatement_quarter_1_to_5", Q(quarter__gte=1, quarter__lte=FULL_YEAR)),
        ]

    def __str__(self) -> str:
        return f"tax statement {self.external_id}"

    @property
    def first_day(self) -> date:
        """Return the first day of the quarter or the year."""
        return date(self.tax_year, 1 if self.quarter == FULL_YEAR else 3 * self.quarter - 2, 1)

    @property
    def last_day(self) -> date:
        """Return the last day of the quarter or the year."""
        return month_end(date(self.tax_year, min(12, 3 * self.quarter), 1))

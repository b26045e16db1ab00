"""Monthly statements of accounts; a closed month never changes."""

from datetime import date, datetime

from django.db import models
from django.db.models import F, Q

from banking.days import midnight, month_end, next_month
from banking.models.accounts import Account
from banking.models.businesses import Business
from banking.models.stored_files import StoredFile
from foundation.database.constraints import check, unique
from foundation.external_ids import ExternalIdModel


class Statement(StoredFile, ExternalIdModel):
    """The closed month of an account, with its sums and the PDF that the customer gets.

    Opening and closing balances chain from month to month; `verify_ledger` compares them with the
    entries.
    """

    business = models.ForeignKey(Business, models.PROTECT, related_name="statements")
    account = models.ForeignKey(Account, models.PROTECT, related_name="statements")
    year = models.PositiveSmallIntegerField()
    month = models.PositiveSmallIntegerField()
    opening_cents = models.BigIntegerField()
    in_cents = models.BigIntegerField()
    out_cents = models.BigIntegerField(help_text="Not signed.")
    closing_cents = models.BigIntegerField()
    transaction_count = models.PositiveIntegerField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            unique("statement_month_unique", "account", "year", "month"),
            check("statement_month_1_to_12", Q(month__gte=1, month__lte=12)),
            check(
                "statement_balances_add_up",
                Q(closing_cents=F("opening_cents") + F("in_cents") - F("out_cents")),
            ),
            check("statement_sums_not_negative", Q(in_cents__gte=0, out_cents__gte=0)),
        ]
        indexes = [
            models.Index(name="statement_newest", fields=["business", "-year", "-month", "-id"])
        ]

    def __str__(self) -> str:
        return f"statement {self.external_id}"

    @property
    def first_day(self) -> date:
        """Return the first day of the month."""
        return date(self.year, self.month, 1)

    @property
    def last_day(self) -> date:
        """Return the last day of the month."""
        return month_end(self.first_day)

    @property
    def ends_at(self) -> datetime:
        """Return the midnight (UTC) at which the next month starts."""
        return midnight(next_month(self.first_day))

"""The filter of transactions for the search, the export and the detail.

It makes a queryset for callers that read whole transactions, and SQL conditions for the search.
"""

from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db import connection
from django.db.models import Q, Subquery
from django.db.models.functions import Abs

from banking.days import DAY, EARLIEST, LATEST, midnight
from banking.models import Account, Business, Transaction
from banking.models.transactions import TransactionQuerySet
from banking.queries.words import Words
from banking.reach import EVERYTHING, Reach

STATUS = {
    None: "status IN ('PENDING', 'POSTED')",
    True: "status = 'PENDING'",
    False: "status = 'POSTED'",
}
NUMBERED = """account_id = (
    SELECT id FROM banking_account
    WHERE business_id = %(business_id)s AND account_number = %(account_number)s
)"""
MAX_CENTS = 2**63 - 1  # that a column holds


@dataclass(frozen=True)
class TransactionFilter:
    """Conditions of a search for transactions; a condition of None excludes no transaction.

    Units: days of UTC, the first and the last included; cents without a sign.
    """

    start_date: date | None = None
    end_date: date | None = None
    account: Account | None = None
    account_number: str | None = None
    is_pending: bool | None = None
    transaction_type: str | None = None
    category: str | None = None
    is_business: bool | None = None
    min_amount_cents: int | None = None
    max_amount_cents: int | None = None
    words: Words | None = None  # the search alone knows words
    reach: Reach = EVERYTHING

    @property
    def has_totals(self) -> bool:
        """Return whether totals can answer the filter: there are no totals by amount or by word."""
        return not (self.words or {self.min_amount_cents, self.max_amount_cents} - {None})

    @property
    def first(self) -> date | None:
        """Return the first day that is wanted and may be read; None without such a bound."""
        first, _last = self.reach.clip(self.start_date, self.end_date)
        return _sane(first) if first else None

    @property
    def until(self) -> date | None:
        """Return the day after the last that is wanted and may be read; None without a bound."""
        _first, last = self.reach.clip(self.start_date, self.end_date)
        return _sane(last) + DAY if last else None

    def transactions(self, business: Business) -> TransactionQuerySet:
        """Return the transactions of the business that match, pending or posted.

        Raises: ValueError if the filter has words, which only the search can find.
        """
        if self.words:
            raise ValueError("Only the search finds words.")
        found = Transaction.objects.filter(self._of_kind(business), business=business)
        if self.is_pending is None:
            found = found.live()
        else:
            found = found.pending() if self.is_pending else found.posted()
        if self.first:
            found = found.filter(occurred_at__gte=midnight(self.first))
        if self.until:
            found = found.filter(occurred_at__lt=midnight(self.until))
        return self._of_amount(found)

    def values(self, business: Business) -> dict[str, Any]:
        """Return the values of the named parameters in the SQL of the `where` methods."""
        return {
            "business_id": business.pk,
            "account_id": self.account and self.account.pk,
            "account_number": self.account_number,
            "is_pending": self.is_pending,
            "transaction_type": self.transaction_type,
            "category_id": self.category,
            "is_business": self.is_business,
            "first": _start_of(self.first),
            "until": _start_of(self.until),
            "least": _storable(self.min_amount_cents),
            "most": _storable(self.max_amount_cents),
            "words": self.words and self.words.value(business),
        }

    def where_transactions(self) -> str:
        """Return the SQL condition for the matching transactions, pending or posted.

        `values` returns its parameters.
        """
        wanted: dict[str, Any] = {
            "occurred_at >= %(first)s": self.first,
            "occurred_at < %(until)s": self.until,
            "abs(amount_cents) >= %(least)s": self.min_amount_cents,  # as the index has it
            "abs(amount_cents) <= %(most)s": self.max_amount_cents,
        }
        if self.words:
            wanted[self.words.condition()] = self.words
        return _all([*self._where_kind(), STATUS[self.is_pending], *_asked(wanted)])

    def where_totals(self) -> str:
        """Return the SQL condition for the totals that count matching transactions.

        It ignores days, amounts and words: the caller adds the days and the granularity.
        """
        wanted = {"is_pending = %(is_pending)s": self.is_pending}
        return _all([*self._where_kind(), "count > 0", *_asked(wanted)])

    def _where_kind(self) -> list[str]:
        wanted = {
            "account_id = %(account_id)s": self.account,
            NUMBERED: self.account_number,
            "transaction_type = %(transaction_type)s": self.transaction_type,
            "category_id = %(category_id)s": self.category,
            "is_business = %(is_business)s": self.is_business,
        }
        return ["business_id = %(business_id)s", *self._where_reached(), *_asked(wanted)]

    def _where_reached(self) -> list[str]:
        if self.reach.accounts is None:
            return []
        keys = ", ".join(str(int(key)) for key in sorted(self.reach.accounts))
        return [f"account_id IN ({keys or 'NULL'})"]

    def _of_kind(self, business: Business) -> Q:
        wanted = {
            "account": self.account,
            "transaction_type": self.transaction_type,
            "category": self.category,
            "is_business": self.is_business,
        }
        kind = Q(**{name: value for name, value in wanted.items() if value is not None})
        kind &= self.reach.of_accounts()
        if self.account_number is None:
            return kind
        accounts = Account.objects.filter(business=business, account_number=self.account_number)
        return kind & Q(account=Subquery(accounts.values("pk")))

    def _of_amount(self, found: TransactionQuerySet) -> TransactionQuerySet:
        found = found.alias(size=Abs("amount_cents"))  # as the index has it
        if self.min_amount_cents is not None:
            found = found.filter(size__gte=self.min_amount_cents)
        if self.max_amount_cents is not None:
            found = found.filter(size__lte=self.max_amount_cents)
        return found


def _asked(conditions: dict[str, Any]) -> list[str]:
    """Return the conditions whose value is not None."""
    return [condition for condition, value in conditions.items() if value is not None]


def _all(conditions: list[str]) -> str:
    return " AND ".join(conditions)


def _start_of(day: date | None) -> Any:
    """Return the start of a day (UTC) as a parameter for SQL; None for None."""
    return day and connection.ops.adapt_datetimefield_value(midnight(day))


def _storable(cents: int | None) -> int | None:
    return cents if cents is None else min(cents, MAX_CENTS)


def _sane(day: date) -> date:
    return min(max(day, EARLIEST), LATEST)

"""Reach: the part of the bank's records that a reader may read, as one value for all queries."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date

from django.db.models import Q

from banking.days import month_end, next_month


@dataclass(frozen=True)
class Reach:
    """The businesses, accounts and days that may be read, and whether names and numbers may.

    Businesses and accounts are named by their keys; None allows all of them. Days are of UTC, the
    first and the last included; None leaves an end open. Names are those of counterparties, numbers
    those of accounts in full.
    """

    businesses: frozenset[int] | None = None
    accounts: frozenset[int] | None = None
    first: date | None = None
    last: date | None = None
    shows_names: bool = True
    shows_numbers: bool = True

    @property
    def has_all_rows(self) -> bool:
        """Return whether no account and no day of a business is left out."""
        return self.accounts is None and self.first is None and self.last is None

    def has_account(self, key: int) -> bool:
        """Return whether the account with a key may be read."""
        return self.accounts is None or key in self.accounts

    def has_business(self, key: int) -> bool:
        """Return whether the business with a key may be read."""
        return self.businesses is None or key in self.businesses

    def of_accounts(self, name: str = "account") -> Q:
        """Return the condition that the account in the field `name` of a row may be read."""
        return _among(name, self.accounts)

    def of_businesses(self, name: str = "business") -> Q:
        """Return the condition that the business in the field `name` of a row may be read."""
        return _among(name, self.businesses)

    def of_days(self, name: str) -> Q:
        """Return the condition that the date in the field `name` of a row may be read."""
        wanted = Q()
        if self.first:
            wanted &= Q(**{f"{name}__gte": self.first})
        if self.last:
            wanted &= Q(**{f"{name}__lte": self.last})
        return wanted

    def of_whole_months(self) -> Q:
        """Return the condition that the account and every day of a statement may be read."""
        wanted = self.of_accounts()
        if self.first:
            month = self.first if self.first.day == 1 else next_month(self.first)
            wanted &= Q(year__gt=month.year) | Q(year=month.year, month__gte=month.month)
        if self.last:
            month = next_month(self.last) if self.last == month_end(self.last) else self.last
            wanted &= Q(year__lt=month.year) | Q(year=month.year, month__lt=month.month)
        return wanted

    def covers(self, first: date, last: date) -> bool:
        """Return whether all days from `first` to `last` may be read."""
        return self.clip(first, last) == (first, last)

    def clip(self, first: date | None, last: date | None) -> tuple[date | None, date | None]:
        """Return the first and the last day of the part of a period that may be read.

        None means an open end. If no day may be read, the last day is before the first.
        """
        starts = [day for day in (first, self.first) if day]
        ends = [day for day in (last, self.last) if day]
        return max(starts, default=None), min(ends, default=None)


def _among(name: str, keys: Collection[int] | None) -> Q:
    return Q() if keys is None else Q(**{f"{name}__in": keys})


EVERYTHING = Reach()

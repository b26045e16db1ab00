"""Profits: the one definition of a business's income, expense and profit.

Income is posted on income categories, expense on expense categories; a refund has the category
of the money it gives back and so reduces it. UNCOUNTED categories are neither. Profit is the
income less the expense of business transactions; private ones never count in it. The words are
those of `banking.money_words`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import Q, Sum

from banking.choices import CategoryType, ChartType
from banking.models import Business, TransactionTotal
from banking.money_words import UNCOUNTED
from banking.tax.deductibles import deductible_cents

COUNTED = ~Q(category__in=UNCOUNTED)
INCOME = COUNTED & Q(category__category_type=CategoryType.INCOME)
EXPENSE = COUNTED & Q(category__category_type=CategoryType.EXPENSE)
COUNTED_IN = {
    ChartType.INCOME: INCOME,
    ChartType.EXPENSE: EXPENSE,
    ChartType.PROFIT: COUNTED & Q(is_business=True),
}


@dataclass(frozen=True)
class Expense:
    """Business expense of one category, refunds taken off. Units: cents."""

    category: str
    name: str
    count: int
    amount_cents: int

    @property
    def deductible_cents(self) -> int:
        """Return the part that taxes are not owed on."""
        return deductible_cents(self.category, self.amount_cents)


@dataclass(frozen=True)
class Profit:
    """Posted business income and expense of a period, expenses by category. Units: cents."""

    income_cents: int
    expenses: tuple[Expense, ...]

    @property
    def deductibles_cents(self) -> int:
        """Return the part of the expenses that taxes are not owed on."""
        return sum(expense.deductible_cents for expense in self.expenses)


def counts_as(category: str, category_type: str) -> str:
    """Return the category's type, INCOME or EXPENSE; an empty text if it counts as neither."""
    return "" if category in UNCOUNTED else category_type


def get_profit(business: Business, *, first: date, last: date) -> Profit:
    """Return the profit of the days from `first` to `last` (UTC), the largest expense first.

    A posted transaction counts on the day it happened, which may be days before it settled.
    """
    return get_profits([business], first=first, last=last).get(business.pk, Profit(0, ()))


def get_profits(businesses: Sequence[Business], *, first: date, last: date) -> dict[int, Profit]:
    """Return the profit of each business by its key, as `get_profit` counts it, in one statement.

    Businesses without business income or expense in the period are left out.
    """
    totals = TransactionTotal.objects.between(first, last).filter(
        COUNTED_IN[ChartType.PROFIT], business__in=businesses, is_pending=False, count__gt=0
    )
    found: dict[int, list[Any]] = {}
    sums = (
        totals.values("business", "category", "category__category_type", "category__display_name")
        .annotate(how_many=Sum("count"), came=Sum("in_cents"), left=Sum("out_cents"))
        .order_by("category")
    )
    for row in sums:
        found.setdefault(row["business"], []).append(row)
    return {business: _profit(rows) for business, rows in found.items()}


def _profit(found: list[Any]) -> Profit:
    expenses = [row for row in found if row["category__category_type"] == CategoryType.EXPENSE]
    return Profit(
        income_cents=sum(row["came"] - row["left"] for row in found if row not in expenses),
        expenses=tuple(sorted(map(_expense, expenses), key=_largest_first)),
    )


def _expense(row: Any) -> Expense:
    return Expense(
        category=row["category"],
        name=row["category__display_name"],
        count=row["how_many"],
        amount_cents=row["left"] - row["came"],
    )


def _largest_first(expense: Expense) -> tuple[int, str]:
    return -expense.amount_cents, expense.name

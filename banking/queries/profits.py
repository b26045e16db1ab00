"""Profits: what a business took in and may deduct, as the tax papers count it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from django.db.models import Aggregate, Count, F, QuerySet, Sum
from django.db.models.functions import Greatest

from banking.choices import OWN_TRANSFERS, CategoryType
from banking.days import DAY, midnight
from banking.models import Business, Transaction, TransactionTotal
from banking.money import percent_of

NOT_INCOME = [*OWN_TRANSFERS, "OWNER_INVESTMENT"]
NOT_DEDUCTIBLE = ["OWNER_DRAW", "CASH_WITHDRAWAL"]
DEDUCTIBLE_PERCENT = {"MEALS": 50}  # 26 U.S.C. 274(n)(1); everything else in full


@dataclass(frozen=True)
class Deduction:
    """What of one category is deductible, refunds taken off. Units: cents."""

    name: str
    count: int
    amount_cents: int


@dataclass(frozen=True)
class Profit:
    """Income and deductible expenses of a period, posted and for business."""

    income_cents: int
    deductions: tuple[Deduction, ...]

    @property
    def deductibles_cents(self) -> int:
        """Return the sum of the deductions."""
        return sum(deduction.amount_cents for deduction in self.deductions)


def get_profit(business: Business, *, first: date, last: date) -> Profit:
    """Return the profit of what happened from `first` to `last`, the largest deduction first."""
    totals = TransactionTotal.objects.between(first, last).filter(
        business=business, is_pending=False, is_business=True, count__gt=0
    )
    return _profit(totals, how_many=Sum("count"), came=Sum("in_cents"), left=Sum("out_cents"))


def get_settled_profit(business: Business, *, first: date, last: date) -> Profit:
    """Return the profit of what settled from `first` to `last`: it does not change later."""
    settled = Transaction.objects.posted().filter(
        business=business,
        is_business=True,
        settled_at__gte=midnight(first),
        settled_at__lt=midnight(last + DAY),
    )
    came, left = Greatest("amount_cents", 0), Greatest(-F("amount_cents"), 0)
    return _profit(settled, how_many=Count("id"), came=Sum(came), left=Sum(left))


def _profit(rows: QuerySet[Any], **sums: Aggregate) -> Profit:
    found = list(
        rows.exclude(category__in=[*NOT_INCOME, *NOT_DEDUCTIBLE])
        .values("category", "category__category_type", "category__display_name")
        .annotate(**sums)
        .order_by("category")
    )
    expenses = [row for row in found if row["category__category_type"] == CategoryType.EXPENSE]
    return Profit(
        income_cents=sum(row["came"] - row["left"] for row in found if row not in expenses),
        deductions=tuple(_deductions(expenses)),
    )


def _deductions(expenses: Iterable[Any]) -> list[Deduction]:
    deductions = [_deduction(row) for row in expenses]
    return sorted(deductions, key=lambda deduction: (-deduction.amount_cents, deduction.name))


def _deduction(row: Any) -> Deduction:
    name, spent = row["category__display_name"], row["left"] - row["came"]
    percent = DEDUCTIBLE_PERCENT.get(row["category"])
    if percent is None:
        return Deduction(name, row["how_many"], spent)
    return Deduction(f"{name} ({percent} %)", row["how_many"], percent_of(spent, Decimal(percent)))

"""Deductibles: the part of an expense that the tax law lets a business deduct.

A tax rule alone: the expense and the profit of a business count every expense in full.
"""

from decimal import Decimal
from typing import Final

from banking.money import percent_of

DEDUCTIBLE_PERCENT: Final = {"MEALS": 50}  # everything else in full


def deductible_cents(category: str, spent_cents: int) -> int:
    """Return the deductible part of an expense of a category.

    Source: 26 U.S.C. 274(n)(1), for meals.
    """
    return percent_of(spent_cents, Decimal(DEDUCTIBLE_PERCENT.get(category, 100)))

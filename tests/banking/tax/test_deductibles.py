import pytest

from banking.tax.deductibles import deductible_cents


@pytest.mark.parametrize(
    ("category", "spent", "deductible"),
    [("RENT", 1_001, 1_001), ("MEALS", 1_000, 500), ("MEALS", 1_001, 501), ("MEALS", -1_000, -500)],
)
def test_meals_are_deductible_by_half_all_else_in_full(category, spent, deductible):
    assert deductible_cents(category, spent) == deductible

from datetime import UTC, date, datetime

import pytest

from banking.days import add_months, midnight, month_end, next_month


def test_a_day_begins_at_midnight_in_utc():
    assert midnight(date(2026, 3, 2)) == datetime(2026, 3, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    ("day", "following"),
    [("2026-01-31", "2026-02-01"), ("2026-12-01", "2027-01-01"), ("2024-02-29", "2024-03-01")],
)
def test_the_next_month_starts_on_its_first(day, following):
    assert next_month(date.fromisoformat(day)) == date.fromisoformat(following)


def test_months_are_counted_across_years():
    assert add_months(date(2026, 1, 1), -1) == date(2025, 12, 1)
    assert add_months(date(2025, 11, 1), 3) == date(2026, 2, 1)
    assert month_end(date(2028, 2, 3)) == date(2028, 2, 29)

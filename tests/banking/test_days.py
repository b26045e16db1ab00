from datetime import UTC, date, datetime

import pytest

from banking.days import midnight, next_month


def test_a_day_begins_at_midnight_in_utc():
    assert midnight(date(2026, 3, 2)) == datetime(2026, 3, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    ("day", "following"),
    [("2026-01-31", "2026-02-01"), ("2026-12-01", "2027-01-01"), ("2024-02-29", "2024-03-01")],
)
def test_the_next_month_starts_on_its_first(day, following):
    assert next_month(date.fromisoformat(day)) == date.fromisoformat(following)

"""Business days of the US banks.

Source: the holiday schedule of the Federal Reserve Banks: a holiday on a Sunday is observed on
Monday, a holiday on a Saturday is not observed on another day.
"""

from datetime import UTC, date, datetime
from functools import cache

import holidays

from banking.days import DAY

SUNDAY, FIVE_DAYS = 6, 5  # as `date.weekday` counts


def is_business_day(day: date) -> bool:
    """Return whether the Federal Reserve Banks are open on a day."""
    return day.weekday() < FIVE_DAYS and day not in _holidays(day.year)


def next_business_day(day: date) -> date:
    """Return the day itself if it is a business day, else the next business day."""
    while not is_business_day(day):
        day += DAY
    return day


def add_business_days(day: date, count: int) -> date:
    """Return the business day that comes `count` business days after a day.

    Counting starts on the first business day from `day` on: a Saturday and 0 give Monday.
    """
    day = next_business_day(day)
    for _ in range(count):
        day = next_business_day(day + DAY)
    return day


def sending_date(at: datetime, *, cutoff_hour: int) -> date:
    """Return the business day on which a payment ordered at `at` is sent.

    From `cutoff_hour` (UTC) on, the next day counts.
    """
    timestamp = at.astimezone(UTC)
    return next_business_day(timestamp.date() + DAY * (timestamp.hour >= cutoff_hour))


@cache
def _holidays(year: int) -> frozenset[date]:
    kept = holidays.country_holidays("US", years=year, observed=False)
    return frozenset(day + DAY if day.weekday() == SUNDAY else day for day in kept)

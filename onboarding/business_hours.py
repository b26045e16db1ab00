"""Business hours: the working hours of staff, by which deadlines are computed.

Monday to Friday, nine to five in New York, except on the holidays of the Federal Reserve.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from banking.calendar import is_business_day
from banking.days import DAY

NEW_YORK = ZoneInfo("America/New_York")
OPENS, CLOSES = time(9), time(17)
HOURS_OF_A_DAY = 8


def add_business_hours(at: datetime, hours: float) -> datetime:
    """Return the time, in UTC, at which `hours` business hours have passed since `at`."""
    left = timedelta(hours=hours)
    for opens, closes in _open_since(at):
        begins = max(at, opens)
        if closes - begins >= left:
            return (begins + left).astimezone(UTC)
        left -= closes - begins
    raise AssertionError("There is always another business day.")


def business_hours_between(start: datetime, end: datetime) -> timedelta:
    """Return how much of the time from `start` to `end` lies within business hours."""
    passed = timedelta()
    for opens, closes in _open_since(start):
        begins = max(opens, start)
        if begins >= end:
            break
        passed += min(closes, end) - begins
    return passed


def _open_since(at: datetime) -> Iterator[tuple[datetime, datetime]]:
    """Yield, without end, the opening and closing time of each business day that ends after `at`.

    The times are in UTC, so that a change of daylight saving time does not distort differences.
    """
    day = at.astimezone(NEW_YORK).date()
    while True:
        opens, closes = (
            datetime.combine(day, hour, tzinfo=NEW_YORK).astimezone(UTC) for hour in (OPENS, CLOSES)
        )
        if closes > at and is_business_day(day):
            yield opens, closes
        day += DAY

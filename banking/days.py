"""Days and months as the bank counts them: in UTC."""

from datetime import UTC, date, datetime, time, timedelta

DAY = timedelta(days=1)
EARLIEST, LATEST = date(1900, 1, 1), date(2999, 12, 31)  # no record is older or newer


def midnight(day: date) -> datetime:
    """Return the start of a day in UTC."""
    return datetime.combine(day, time(), UTC)


def next_month(day: date) -> date:
    """Return the first day of the month after the one that `day` lies in."""
    return (day.replace(day=1) + 32 * DAY).replace(day=1)

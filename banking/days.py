"""Days and months as the bank counts them: in UTC."""

from datetime import UTC, date, datetime, time, timedelta

DAY = timedelta(days=1)
EARLIEST, LATEST = date(1900, 1, 1), date(2999, 12, 31)  # no record is older or newer


def midnight(day: date) -> datetime:
    """Return the start of a day in UTC."""
    return datetime.combine(day, time(), UTC)


def next_month(day: date) -> date:
    """Return the first day of the month after the month of `day`."""
    return (day.replace(day=1) + 32 * DAY).replace(day=1)


def add_months(day: date, count: int) -> date:
    """Return the first day of the month that lies `count` months after that of `day`."""
    year, month = divmod(day.year * 12 + day.month - 1 + count, 12)
    return date(year, month + 1, 1)


def month_end(day: date) -> date:
    """Return the last day of the month that `day` lies in."""
    return next_month(day) - DAY

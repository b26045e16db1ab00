"""The days of the demo bank: when its businesses began, and how they were doing."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from banking.demo.dice import midnight


@dataclass(frozen=True)
class Days:
    """The time a bank was in business: up to a day on which nothing has happened yet.

    `months` whole months and the one that runs; before them, half as many `quiet` ones.
    """

    until: date
    months: int
    has_quiet_beginning: bool = False

    @property
    def end(self) -> datetime:
        """Return the time up to which the demo has events."""
        return midnight(self.until)

    @property
    def first_full(self) -> date:
        """Return the first day of the first month that is not quiet."""
        return add_months(self.until.replace(day=1), -self.months)

    @property
    def first(self) -> date:
        """Return the day on which everything began."""
        quiet = (self.months + 1) // 2 if self.has_quiet_beginning else 0
        return add_months(self.first_full, -quiet)

    def firsts(self) -> Iterator[date]:
        """Yield the first day of each month, that which runs included."""
        month = self.first
        while month < self.until:
            yield month
            month = add_months(month, 1)

    def is_quiet(self, day: date) -> bool:
        """Say whether a day lies in the quiet beginning."""
        return day < self.first_full

    def of_month(self, month: date) -> list[date]:
        """Return the days of a month that have passed."""
        following = add_months(month, 1)
        count = (min(following, self.until) - month).days
        return [month + timedelta(days=index) for index in range(count)]

    def is_past(self, day: date) -> bool:
        """Say whether a day is over."""
        return day < self.until


def add_months(first: date, count: int) -> date:
    """Return the first day of the month so many months later."""
    years, month = divmod(first.year * 12 + first.month - 1 + count, 12)
    return date(years, month + 1, 1)


def month_end(month: date) -> date:
    """Return the last day of a month."""
    return add_months(month.replace(day=1), 1) - timedelta(days=1)

"""The days of the demo bank's history."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from banking.days import add_months, midnight


@dataclass(frozen=True)
class Days:
    """The history of a business: the days before `until`.

    It has the current month and `months` whole months before it. With `has_quiet_beginning`, half
    as many months with less business come first.
    """

    until: date
    months: int
    has_quiet_beginning: bool = False

    @property
    def end(self) -> datetime:
        """Return the end of the history: midnight (UTC) at the start of `until`."""
        return midnight(self.until)

    @property
    def first_full(self) -> date:
        """Return the first day of the first month that is not quiet."""
        return add_months(self.until.replace(day=1), -self.months)

    @property
    def first(self) -> date:
        """Return the first day of the history."""
        quiet = (self.months + 1) // 2 if self.has_quiet_beginning else 0
        return add_months(self.first_full, -quiet)

    def firsts(self) -> Iterator[date]:
        """Yield the first day of each month of the history, the current month included."""
        month = self.first
        while month < self.until:
            yield month
            month = add_months(month, 1)

    def is_quiet(self, day: date) -> bool:
        """Return whether a day is in the first months of the demo, which have less activity."""
        return day < self.first_full

    def of_month(self, month: date) -> list[date]:
        """Return the days of a month that lie before `until`; `month` is its first day."""
        following = add_months(month, 1)
        count = (min(following, self.until) - month).days
        return [month + timedelta(days=index) for index in range(count)]

    def is_past(self, day: date) -> bool:
        """Return whether a day is in the history, that is before `until`."""
        return day < self.until

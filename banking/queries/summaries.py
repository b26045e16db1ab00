"""Summaries of income, expense and profit, from totals of days and months."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import F, Q, QuerySet, Sum

from banking.choices import ChartType, Granularity, GroupBy
from banking.days import DAY, month_end, next_month
from banking.models import Business, TransactionTotal
from banking.queries.profits import COUNTED_IN
from banking.queries.summary_groups import Group, list_groups
from banking.reach import EVERYTHING, Reach

MONTHS = {Granularity.MONTH: 1, Granularity.QUARTER: 3, Granularity.YEAR: 12}


class NotApplicable(ValueError):
    """A summary of profit was asked for with `is_business`, which applies to other charts only."""


@dataclass(frozen=True)
class Point:
    """The sum of a day or month of a summary. `period` is `2026-03-02` or `2026-03`."""

    period: str
    amount_cents: int


@dataclass(frozen=True)
class FinancialSummary:
    """Income, expense or profit of a month, quarter or year, in total and by its parts.

    `granularity` is the length of the whole period: a month has a point for each day, a quarter or
    year one for each month.
    """

    chart_type: ChartType
    granularity: Granularity
    total_cents: int
    series: tuple[Point, ...]
    first: date
    last: date
    group_by: GroupBy | None = None
    groups: tuple[Group, ...] = ()


def get_financial_summary(
    business: Business,
    chart_type: ChartType,
    start_date: date,
    granularity: Granularity = Granularity.MONTH,
    *,
    is_business: bool | None = None,
    group_by: GroupBy | None = None,
    reach: Reach = EVERYTHING,
) -> FinancialSummary:
    """Return the summary of the calendar period that `start_date` lies in.

    `banking.queries.profits` defines income, expense and profit. Posted transactions count on the
    day they happened. Shape: a point for each day of a month, or for each month of a quarter or
    year; with `group_by` the parts of the total, too. Days out of reach are no part of the period;
    if none is in reach, the period is empty. Raises: NotApplicable; ValueError for other
    granularities than MONTH, QUARTER and YEAR.
    """
    if chart_type == ChartType.PROFIT and is_business is not None:
        raise NotApplicable("isBusiness does not apply to PROFIT.")
    months = _months(start_date, granularity)
    first, last = _days_in_reach(months[0], next_month(months[-1]) - DAY, reach)
    is_daily = granularity == Granularity.MONTH
    counted = COUNTED_IN[chart_type] & reach.of_accounts()
    if is_business is not None:
        counted &= Q(is_business=is_business)
    sign = -1 if chart_type == ChartType.EXPENSE else 1
    totals = _posted(business, first, last, is_daily=is_daily).filter(counted)
    sums: dict[date, int] = {}
    for start, net in totals.annotate(net=sign * Sum(F("in_cents") - F("out_cents"))):
        point = start if is_daily else start.replace(day=1)
        sums[point] = sums.get(point, 0) + net
    shown = _days(first, last) if is_daily else _months_between(months, first, last)
    form = "%Y-%m-%d" if is_daily else "%Y-%m"
    return FinancialSummary(
        chart_type=chart_type,
        granularity=granularity,
        total_cents=sum(sums.values()),
        series=tuple(Point(f"{start:{form}}", sums.get(start, 0)) for start in shown),
        first=first,
        last=last,
        group_by=group_by,
        groups=tuple(
            list_groups(business, chart_type, counted, first, last, group_by, reach)
            if group_by
            else ()
        ),
    )


def _days(first: date, last: date) -> list[date]:
    return [first + number * DAY for number in range((last - first).days + 1)]


def _months_between(months: list[date], first: date, last: date) -> list[date]:
    """Return the months of which a day lies from `first` to `last`."""
    return [month for month in months if month <= last and first <= month_end(month)]


def _days_in_reach(first: date, last: date, reach: Reach) -> tuple[date, date]:
    """Return the first and last day that may be read; if none may, `first` and its day before."""
    starts, ends = reach.clip(first, last)
    return (starts, ends) if starts and ends and starts <= ends else (first, first - DAY)


def _posted(
    business: Business, first: date, last: date, *, is_daily: bool
) -> QuerySet[TransactionTotal, tuple[Any, ...]]:
    """Return the posted totals from `first` to `last`, as rows of their first day alone.

    If `is_daily`, they are the totals of days, else the fewest totals of months and days.
    """
    totals = TransactionTotal.objects.filter(business=business, is_pending=False)
    if is_daily:
        totals = totals.filter(
            granularity=Granularity.DAY, starts_on__gte=first, starts_on__lte=last
        )
    else:
        totals = totals.between(first, last)
    return totals.values_list("starts_on")


def _months(day: date, granularity: Granularity) -> list[date]:
    """Return the months of the calendar period that a day lies in. Raises: ValueError."""
    if granularity not in MONTHS:
        raise ValueError(f"A summary covers no {granularity}.")
    length = MONTHS[granularity]
    first = (day.month - 1) // length * length + 1
    return [date(day.year, month, 1) for month in range(first, first + length)]

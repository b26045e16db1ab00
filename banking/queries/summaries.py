"""Summaries of income, expense and profit, from the totals alone."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import F, Q, QuerySet, Sum

from banking.choices import ChartType, Granularity, GroupBy
from banking.days import DAY, next_month
from banking.models import Business, TransactionTotal
from banking.queries.profits import COUNTED_IN
from banking.queries.summary_groups import Group, list_groups

MONTHS = {Granularity.MONTH: 1, Granularity.QUARTER: 3, Granularity.YEAR: 12}


class NotApplicable(ValueError):
    """Profit is that of the whole business, not of its business or private part."""


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
) -> FinancialSummary:
    """Return the summary of the calendar period that `start_date` lies in.

    `banking.queries.profits` defines income, expense and profit. Posted transactions count on the
    day they happened. Shape: a point for each day of a month, or for each month of a quarter or
    year; with `group_by` the parts of the total, too. Raises: NotApplicable, ValueError.
    """
    if chart_type == ChartType.PROFIT and is_business is not None:
        raise NotApplicable("isBusiness does not apply to PROFIT.")
    months = _months(start_date, granularity)
    until = next_month(months[-1])
    is_daily = granularity == Granularity.MONTH
    part = Granularity.DAY if is_daily else Granularity.MONTH
    counted = COUNTED_IN[chart_type]
    if is_business is not None:
        counted &= Q(is_business=is_business)
    totals = _posted(business, part, months[0], until).filter(counted)
    sign = -1 if chart_type == ChartType.EXPENSE else 1
    sums = dict(totals.annotate(net=sign * Sum(F("in_cents") - F("out_cents"))))
    days = [months[0] + number * DAY for number in range((until - months[0]).days)]
    form = "%Y-%m-%d" if is_daily else "%Y-%m"
    return FinancialSummary(
        chart_type=chart_type,
        granularity=granularity,
        total_cents=sum(sums.values()),
        series=tuple(
            Point(f"{start:{form}}", sums.get(start, 0)) for start in (days if is_daily else months)
        ),
        first=months[0],
        last=until - DAY,
        group_by=group_by,
        groups=tuple(
            list_groups(business, chart_type, counted, months[0], until, group_by)
            if group_by
            else ()
        ),
    )


def _posted(
    business: Business, granularity: Granularity, first: date, until: date
) -> QuerySet[TransactionTotal, tuple[Any, ...]]:
    return TransactionTotal.objects.filter(
        business=business,
        granularity=granularity,
        starts_on__gte=first,
        starts_on__lt=until,
        is_pending=False,
    ).values_list("starts_on")


def _months(day: date, granularity: Granularity) -> list[date]:
    """Return the months of the calendar period that a day lies in. Raises: ValueError."""
    if granularity not in MONTHS:
        raise ValueError(f"A summary covers no {granularity}.")
    length = MONTHS[granularity]
    first = (day.month - 1) // length * length + 1
    return [date(day.year, month, 1) for month in range(first, first + length)]

"""Counts of a search for transactions: the number and the sums of the matches by month or day.

Totals hold the number and the sum of transactions of a kind per month and day. Amounts and words
have no totals: their matches are summed up by day in an index.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db import connection

from banking.choices import Granularity
from banking.days import DAY, EARLIEST, LATEST, next_month
from banking.models import Business
from banking.queries.filters import TransactionFilter

COUNT = """
SELECT starts_on, {sign} * sum(count), {sign} * sum(in_cents), {sign} * sum(out_cents)
FROM banking_transactiontotal
WHERE {wanted} AND granularity = '{granularity}' AND starts_on >= '{start}' AND starts_on < '{end}'
GROUP BY starts_on
"""
COUNT_ROWS = """
SELECT {day}, count(*), sum(CASE WHEN amount_cents > 0 THEN amount_cents ELSE 0 END),
    sum(CASE WHEN amount_cents < 0 THEN -amount_cents ELSE 0 END)
FROM banking_transaction WHERE {wanted} GROUP BY 1
"""
DAY_OF_ROW = {
    "postgresql": "(occurred_at AT TIME ZONE 'UTC')::date",
    "sqlite": "date(occurred_at)",
}

Sums = tuple[date, int, int, int]  # first day of a period, its transactions, cents in and out
Counts = Sequence[tuple[date, int]]  # first day of a period, its transactions; the newest first


@dataclass(frozen=True)
class Matches:
    """How many transactions a filter finds by month or by day, and their sums. Units: cents."""

    granularity: Granularity
    counts: Counts
    in_cents: int
    out_cents: int

    @property
    def total_count(self) -> int:
        """Return how many transactions the filter finds."""
        return sum(count for _, count in self.counts)


def count_transactions(business: Business, filters: TransactionFilter) -> Matches:
    """Return how many of the wanted there are by month or, where amounts matter, by day."""
    values = filters.values(business)
    if not filters.has_totals:
        day = DAY_OF_ROW[connection.vendor]
        rows = fetch(COUNT_ROWS.format(day=day, wanted=filters.where_transactions()), values)
        return _matches(Granularity.DAY, rows)
    wanted = filters.where_totals()
    sums = [
        COUNT.format(wanted=wanted, granularity=granularity, start=start, end=end, sign=sign)
        for granularity, start, end, sign in _parts(filters.first, filters.until)
    ]
    return _matches(Granularity.MONTH, fetch("UNION ALL".join(sums), values) if sums else [])


def count_by_day(
    business: Business, filters: TransactionFilter, *, oldest: date, newest: date
) -> Counts:
    """Return the wanted transactions of each day from the oldest month to the newest."""
    sql = COUNT.format(
        wanted=filters.where_totals(),
        granularity=Granularity.DAY,
        start=max(oldest, filters.first or oldest),
        end=min(next_month(newest), filters.until or LATEST),
        sign=1,
    )
    return _newest_first(fetch(sql, filters.values(business)))


def fetch(sql: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Return the rows of a statement that the database plans anew for its values."""
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def _matches(granularity: Granularity, rows: Sequence[Sums | tuple[Any, ...]]) -> Matches:
    """Return the counts of rows of sums, the newest first, and their sums of cents."""
    is_monthly = granularity is Granularity.MONTH
    return Matches(
        granularity=granularity,
        counts=_by_month(rows) if is_monthly else _newest_first(rows),
        in_cents=sum(int(row[2]) for row in rows),
        out_cents=sum(int(row[3]) for row in rows),
    )


def _parts(first: date | None, until: date | None) -> list[tuple[Granularity, date, date, int]]:
    """Return the few totals that cover some days: months, and days to add to or take from them.

    Shape: granularity, first day, day after the last, sign.
    """
    if first and until and until - first <= 31 * DAY:
        return [(Granularity.DAY, first, until, 1)] if first < until else []
    opening = _nearest_month(first or EARLIEST)
    closing = _nearest_month(until or LATEST)
    parts = [(Granularity.MONTH, opening, closing, 1)]
    if first:
        start, end = sorted([first, opening])
        parts.append((Granularity.DAY, start, end, 1 if first < opening else -1))
    if until:
        start, end = sorted([until, closing])
        parts.append((Granularity.DAY, start, end, 1 if closing < until else -1))
    return [part for part in parts if part[1] < part[2]]


def _by_month(rows: Iterable[tuple[Any, ...]]) -> Counts:
    months: dict[date, int] = {}
    for starts_on, count in _newest_first(rows):
        month = starts_on.replace(day=1)
        months[month] = months.get(month, 0) + count
    return list(months.items())


def _newest_first(rows: Iterable[tuple[Any, ...]]) -> Counts:
    """Return counts by day in order; of a day that it worked out SQLite gives the text."""
    return sorted(
        (
            (day if isinstance(day, date) else date.fromisoformat(day), count)
            for day, count, *_ in rows
        ),
        reverse=True,
    )


def _nearest_month(day: date) -> date:
    return day.replace(day=1) if day.day <= 16 else next_month(day)

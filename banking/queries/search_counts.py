"""Counts of a search for transactions: the number and the sums of the matches by month or day.

Totals hold the number and the sum of transactions of a kind per month and day. Amounts and words
have no totals. Matches of amounts are summed up by day in an index or, where the amounts leave few
transactions out, as the totals less the transactions left out. Matches of words are summed up
by an index or, where the planner expects many, counted from the newest to a bound.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from django.db import connection

from banking.choices import Granularity
from banking.days import DAY, EARLIEST, LATEST, next_month
from banking.models import Business
from banking.queries.filters import MAX_CENTS, TransactionFilter
from foundation.database.estimates import estimate

MOST_COUNTED = 10_000  # matches of a common word
COMMON = 100_000  # matches; below, they are counted as fast as the newest are read
READ_PER_MATCH = 2  # transactions; of words in fewer, all matches are counted
CHEAP = 1_000.0  # in the planner's units of cost: not worth a second estimate
COUNT = """
SELECT starts_on, {sign} * sum(count), {sign} * sum(in_cents), {sign} * sum(out_cents)
FROM banking_transactiontotal
WHERE {wanted} AND granularity = '{granularity}' AND starts_on >= '{start}' AND starts_on < '{end}'
GROUP BY starts_on
"""
COUNT_ROWS = """
SELECT {day}, {sign} * count(*),
    {sign} * sum(CASE WHEN amount_cents > 0 THEN amount_cents ELSE 0 END),
    {sign} * sum(CASE WHEN amount_cents < 0 THEN -amount_cents ELSE 0 END)
FROM banking_transaction WHERE {wanted} GROUP BY 1
"""
COUNT_REST = """
WITH part (starts_on, number, in_cents, out_cents) AS ({parts})
SELECT starts_on, CAST(sum(number) AS bigint), sum(in_cents), sum(out_cents)
FROM part GROUP BY 1 HAVING sum(number) > 0
"""
COUNT_NEWEST = """
SELECT {day}, count(*) FROM (
    SELECT occurred_at FROM (
        SELECT id, occurred_at, business_id, merchant_id, merchant_raw_name, description
        FROM banking_transaction WHERE {others} ORDER BY occurred_at DESC, id DESC LIMIT {read}
    ) newest WHERE {words} ORDER BY occurred_at DESC, id DESC LIMIT {most}
) matched GROUP BY 1
"""
SCAN_ROWS = "SELECT 1 FROM banking_transaction WHERE {wanted}"
SCAN_TOTALS = """
SELECT 1 FROM banking_transactiontotal
WHERE {wanted} AND granularity = 'DAY' AND starts_on >= '{start}' AND starts_on < '{end}'
"""
DAY_OF_ROW = {
    "postgresql": "(occurred_at AT TIME ZONE 'UTC')::date",
    "sqlite": "date(occurred_at)",
}

Sums = tuple[date, int, int, int]  # first day of a period, its transactions, cents in and out
Counts = Sequence[tuple[date, int]]  # first day of a period, its transactions; the newest first


@dataclass(frozen=True)
class Matches:
    """The counts of the transactions that a filter finds, by month or day, and their sums in cents.

    With `is_lower_bound` only the newest are counted, there are more, and the sums are None.
    """

    granularity: Granularity
    counts: Counts
    in_cents: int | None
    out_cents: int | None
    is_lower_bound: bool = False

    @property
    def total_count(self) -> int:
        """Return the number of transactions that are counted."""
        return sum(count for _, count in self.counts)


def count_transactions(
    business: Business, filters: TransactionFilter, *, at_least: int = 0
) -> Matches:
    """Return the counts of the matching transactions by month or, for amounts and words, by day.

    Of words that are common, MOST_COUNTED matches are counted, or `at_least` if that is more.
    """
    values = filters.values(business)
    if filters.words:
        return _count_words(filters, values, max(MOST_COUNTED, at_least))
    if not filters.has_totals:
        return _count_amounts(business, filters, values)
    wanted = filters.where_totals()
    sums = [
        COUNT.format(wanted=wanted, granularity=granularity, start=start, end=end, sign=sign)
        for granularity, start, end, sign in _parts(filters.first, filters.until)
    ]
    return _matches(Granularity.MONTH, fetch("UNION ALL".join(sums), values) if sums else [])


def count_by_day(
    business: Business, filters: TransactionFilter, *, oldest: date, newest: date
) -> Counts:
    """Return the number of matches on each day from the oldest month to the newest, from totals."""
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


def _count_words(filters: TransactionFilter, values: Mapping[str, Any], most: int) -> Matches:
    wanted = filters.where_transactions()
    expected = estimate(SCAN_ROWS.format(wanted=wanted), values)
    if expected and expected.rows > max(COMMON, most):
        counts = _newest_first(fetch(_count_newest(filters, most), values))
        if sum(count for _, count in counts) > most:
            day, count = counts[-1]  # one too many: it tells that there are more
            counts = [*counts[:-1], *([(day, count - 1)] if count > 1 else [])]
            return Matches(Granularity.DAY, counts, None, None, is_lower_bound=True)
    return _matches(Granularity.DAY, fetch(_count_rows(wanted), values))


def _count_newest(filters: TransactionFilter, most: int) -> str:
    """Return SQL that counts the newest matches of words by day, at most one more than `most`.

    It reads the READ_PER_MATCH * `most` newest transactions that meet the other conditions.
    """
    words = filters.words
    assert words  # noqa: S101 - the caller has looked
    return COUNT_NEWEST.format(
        day=DAY_OF_ROW[connection.vendor],
        others=replace(filters, words=None).where_transactions(),
        words=words.condition(),
        read=READ_PER_MATCH * most,
        most=most + 1,
    )


def _count_amounts(
    business: Business, filters: TransactionFilter, values: Mapping[str, Any]
) -> Matches:
    wanted = filters.where_transactions()
    expected = estimate(SCAN_ROWS.format(wanted=wanted), values)
    if expected and expected.cost > CHEAP:
        rest = _all_but(business, filters)
        others = estimate(rest.scan, rest.values)
        if others and others.cost < expected.cost:
            return _matches(Granularity.DAY, fetch(rest.count, rest.values))
    return _matches(Granularity.DAY, fetch(_count_rows(wanted), values))


@dataclass(frozen=True)
class _AllBut:
    """SQL that counts matches by day as all transactions less the others, and SQL of its reads."""

    count: str
    scan: str
    values: Mapping[str, Any]


def _all_but(business: Business, filters: TransactionFilter) -> _AllBut:
    """Return how the matches of amounts are counted from totals and the other transactions."""
    every = replace(filters, min_amount_cents=None, max_amount_cents=None)
    least, most = filters.min_amount_cents, filters.max_amount_cents
    below = None if least is None else least - 1
    above = None if most is None or most >= MAX_CENTS else most + 1
    if above is not None and below is not None:
        above = max(above, below + 1)  # where no amount is wanted, each is left out once
    others = []
    if below is not None:
        others.append(replace(every, max_amount_cents=below).where_transactions())
    if above is not None:
        others.append(replace(every, min_amount_cents=above).where_transactions())
    totals = {
        "wanted": every.where_totals(),
        "start": every.first or EARLIEST,
        "end": every.until or LATEST,
    }
    of_totals = COUNT.format(granularity=Granularity.DAY, sign=1, **totals)
    counts = [of_totals, *(_count_rows(wanted, sign=-1) for wanted in others)]
    scans = [SCAN_TOTALS.format(**totals), *(SCAN_ROWS.format(wanted=wanted) for wanted in others)]
    return _AllBut(
        count=COUNT_REST.format(parts=" UNION ALL ".join(counts)),
        scan=" UNION ALL ".join(scans),
        values=replace(every, min_amount_cents=above, max_amount_cents=below).values(business),
    )


def _count_rows(wanted: str, *, sign: int = 1) -> str:
    return COUNT_ROWS.format(day=DAY_OF_ROW[connection.vendor], wanted=wanted, sign=sign)


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
    """Return counts by day, the newest first; days that SQLite returned as text are parsed."""
    return sorted(
        (
            (day if isinstance(day, date) else date.fromisoformat(day), count)
            for day, count, *_ in rows
        ),
        reverse=True,
    )


def _nearest_month(day: date) -> date:
    return day.replace(day=1) if day.day <= 16 else next_month(day)

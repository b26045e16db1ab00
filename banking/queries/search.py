"""The search for transactions: any filter, any page, in at most three statements.

Totals hold the number and the sum of transactions of a kind per month and day. They sum up the
matches and locate the page, which is then read by index, kind by kind, so that only its own rows
come from the table. Amounts and words have no totals: their matches are summed up by day in an
index. An account that is named by its number takes a statement of its own, and so do words.

The statements are written by hand, because the ORM takes longer to build them than to read a page.
Arguments are bound by name; only values that were computed here are part of the text.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cache
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection

from banking.choices import Direction, Granularity, TransactionStatus
from banking.days import DAY, EARLIEST, LATEST, next_month
from banking.models import Business
from banking.queries.filters import TransactionFilter
from banking.queries.words import find_similar, find_words
from foundation.database.text_hashes import text_hash_sql
from foundation.database.timestamps import aware
from foundation.external_ids import parse

SPARSE = 1000  # so many rows are sorted as fast as their days are looked up
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
PAGE = """
SELECT found.external_id, found.occurred_at, account.account_number, found.transaction_type,
    found.status, found.amount_cents, coalesce(merchant.name, found.merchant_raw_name),
    found.category_id, found.description, location.key, found.settled_at, receipt.id IS NOT NULL
FROM banking_transaction found
JOIN banking_account account ON account.id = found.account_id
LEFT JOIN banking_merchant merchant ON merchant.id = found.merchant_id
LEFT JOIN banking_location location ON location.id = found.location_id
LEFT JOIN banking_receipt receipt ON receipt.transaction_id = found.id
WHERE found.business_id = %(business_id)s AND found.id IN ({ids})
ORDER BY found.occurred_at DESC, found.id DESC
"""
IDS = "SELECT id FROM banking_transaction WHERE {wanted} ORDER BY occurred_at DESC, id DESC"
IDS_BY_KIND = """
WITH cell AS (
    SELECT starts_on, is_pending, account_id, transaction_type, category_id, is_business
    FROM banking_transactiontotal
    WHERE {counted} AND granularity = 'MONTH' AND starts_on IN ({months})
)
SELECT kept.id FROM cell {joined}
ORDER BY kept.occurred_at DESC, kept.id DESC LIMIT {limit} OFFSET {offset}
"""
JOINED = {
    "postgresql": """CROSS JOIN LATERAL (
        SELECT id, occurred_at FROM banking_transaction kept WHERE {same_kind} AND {wanted}
        ORDER BY occurred_at DESC, id DESC LIMIT {most}
    ) kept""",  # a limit of its own, so that the planner reads each cell by index
    "sqlite": "JOIN (SELECT * FROM banking_transaction WHERE {wanted}) kept ON {same_kind}",
}
STATUS = "CASE WHEN cell.is_pending THEN 'PENDING' ELSE 'POSTED' END"
KIND = ["account_id", "transaction_type", "category_id", "is_business"]
SAME_KIND = [*(f"kept.{column} = cell.{column}" for column in KIND), f"kept.status = {STATUS}"]
WITHIN = {
    "postgresql": [
        "kept.occurred_at >= cell.starts_on::timestamp AT TIME ZONE 'UTC'",
        "kept.occurred_at < (cell.starts_on + interval '1 month') AT TIME ZONE 'UTC'",
    ],
    "sqlite": [
        "kept.occurred_at >= cell.starts_on",
        "kept.occurred_at < date(cell.starts_on, '+1 month')",
    ],
}

Sums = tuple[date, int, int, int]  # first day of a period, its transactions, cents in and out
Counts = Sequence[tuple[date, int]]  # first day of a period, its transactions; the newest first


class FoundTransaction(NamedTuple):
    """A transaction as the search tells it; its merchant's name may be as it came with it.

    A named tuple, since searches make many and frozen dataclasses are slow to make.
    """

    external_id: UUID
    occurred_at: datetime
    account_number: str
    transaction_type: str
    status: str
    amount_cents: int
    merchant_name: str
    category_code: str
    description: str
    location_key: str | None
    settled_at: datetime | None
    has_receipt: bool

    @property
    def settlement_date(self) -> date | None:
        """Return the day (UTC) on which the transaction settled; None for a hold."""
        return None if self.settled_at is None else self.settled_at.date()

    @property
    def is_pending(self) -> bool:
        """Say whether it is still a hold."""
        return self.status == TransactionStatus.PENDING

    @property
    def direction(self) -> Direction:
        """Return whether money came in or left."""
        return Direction.CREDIT if self.amount_cents > 0 else Direction.DEBIT


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


@dataclass(frozen=True)
class TransactionPage:
    """A page of found transactions, counted from 1; the sums are those of all pages."""

    page: int
    total_count: int
    total_in_cents: int
    total_out_cents: int
    transactions: list[FoundTransaction]
    matched_query: str | None = None  # the words that were searched, or words similar to them

    @property
    def total_amount_cents(self) -> int:
        """Return the money in of all matches less their money out. Units: cents."""
        return self.total_in_cents - self.total_out_cents


@dataclass(frozen=True)
class Place:
    """The position of a page: its periods, and the rows to skip in the first period."""

    granularity: Granularity
    periods: Counts
    offset: int

    @property
    def starts(self) -> list[date]:
        """Return the first days of the periods."""
        return [starts_on for starts_on, _ in self.periods]

    @property
    def count(self) -> int:
        """Return how many rows the periods have together."""
        return sum(count for _, count in self.periods)


def search_transactions(
    business: Business,
    filters: TransactionFilter,
    *,
    page: int,
    page_size: int,
    texts: tuple[str, ...] = (),
) -> TransactionPage:
    """Return a page of the transactions that are wanted, the newest first, and how many there are.

    `texts` are the words of a query; if nothing has them, similar words of merchants are searched.
    Raises: ValueError, as pages start at 1.
    """
    if page < 1 or page_size < 1:
        raise ValueError("Pages start at 1 and have rows.")
    filters = _with_account(business, filters)
    if texts:
        filters = replace(filters, words=find_words(business, texts))
    matches = count_transactions(business, filters)
    if texts and not matches.total_count and (texts := find_similar(business, texts) or texts):
        filters = replace(filters, words=find_words(business, texts))
        matches = count_transactions(business, filters)
    place = _locate(matches.granularity, matches.counts, (page - 1) * page_size, page_size)
    if place.count > SPARSE and place.granularity is Granularity.MONTH:
        days = _count_by_day(business, filters, place)
        place = _locate(Granularity.DAY, days, place.offset, page_size)
    return TransactionPage(
        page=page,
        total_count=matches.total_count,
        total_in_cents=matches.in_cents,
        total_out_cents=matches.out_cents,
        transactions=_read(business, filters, place, page_size) if place.periods else [],
        matched_query=" ".join(texts) or None,
    )


def _with_account(business: Business, filters: TransactionFilter) -> TransactionFilter:
    """Replace the account number by the id, for which the database has statistics."""
    if filters.account or filters.account_number is None:
        return filters
    account = business.accounts.filter(account_number=filters.account_number).first()
    return replace(filters, account=account, account_number=None) if account else filters


def count_transactions(business: Business, filters: TransactionFilter) -> Matches:
    """Return how many of the wanted there are by month or, where amounts matter, by day."""
    values = filters.values(business)
    if not filters.has_totals:
        day = DAY_OF_ROW[connection.vendor]
        rows = _fetch(COUNT_ROWS.format(day=day, wanted=filters.where_transactions()), values)
        return _matches(Granularity.DAY, rows)
    wanted = filters.where_totals()
    sums = [
        COUNT.format(wanted=wanted, granularity=granularity, start=start, end=end, sign=sign)
        for granularity, start, end, sign in _parts(filters.first, filters.until)
    ]
    return _matches(Granularity.MONTH, _fetch("UNION ALL".join(sums), values) if sums else [])


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


def _count_by_day(business: Business, filters: TransactionFilter, place: Place) -> Counts:
    """Return how many there are on each day of the months where the page lies."""
    oldest, newest = place.starts[-1], place.starts[0]
    sql = COUNT.format(
        wanted=filters.where_totals(),
        granularity=Granularity.DAY,
        start=max(oldest, filters.first or oldest),
        end=min(next_month(newest), filters.until or LATEST),
        sign=1,
    )
    return _newest_first(_fetch(sql, filters.values(business)))


def _newest_first(rows: Iterable[tuple[Any, ...]]) -> Counts:
    """Return counts by day in order; of a day that it worked out SQLite gives the text."""
    return sorted(
        (
            (day if isinstance(day, date) else date.fromisoformat(day), count)
            for day, count, *_ in rows
        ),
        reverse=True,
    )


def _locate(granularity: Granularity, counts: Counts, offset: int, limit: int) -> Place:
    """Return the periods that hold the rows from `offset` on, as many as fill the limit."""
    held, before, skipped = [], 0, 0
    for starts_on, count in counts:
        before += count
        if before <= offset:
            skipped = before
        elif before - count < offset + limit:
            held.append((starts_on, count))
    return Place(granularity, held, offset - skipped)


def _read(
    business: Business, filters: TransactionFilter, place: Place, limit: int
) -> list[FoundTransaction]:
    """Read the rows of a page: first which they are, then all about these."""
    if place.granularity is Granularity.MONTH:
        ids = _ids_by_kind(filters, place, limit)
    else:
        filters = replace(filters, start_date=place.starts[-1], end_date=place.starts[0])
        ids = _ids_by_time(business, filters, place, limit)
    rows = _fetch(PAGE.format(ids=ids), filters.values(business))
    return [
        FoundTransaction._make((parse(external_id), aware(occurred_at), *others, bool(has_receipt)))
        for external_id, occurred_at, *others, has_receipt in rows
    ]


def _ids_by_time(business: Business, filters: TransactionFilter, place: Place, limit: int) -> str:
    """Return SQL for the ids by the index of time, or by the index of amounts if few match."""
    ids = IDS.format(wanted=filters.where_transactions())
    if not filters.has_totals and place.count <= SPARSE:
        # with a LIMIT, PostgreSQL would choose the index of time and read every day
        rows = _fetch(ids, filters.values(business))[place.offset : place.offset + limit]
        return ", ".join(str(row[0]) for row in rows) or "NULL"
    return f"{ids} LIMIT {limit} OFFSET {place.offset}"


def _ids_by_kind(filters: TransactionFilter, place: Place, limit: int) -> str:
    """Return SQL for the ids by the index of kinds; the totals name the kinds that exist."""
    joined = JOINED[connection.vendor].format(
        wanted=filters.where_transactions(),
        same_kind=_same_kind(connection.vendor),
        most=place.offset + limit,
    )
    return IDS_BY_KIND.format(
        counted=filters.where_totals(),
        months=", ".join(f"'{month}'" for month in place.starts),
        joined=joined,
        limit=limit,
        offset=place.offset,
    )


@cache
def _same_kind(vendor: str) -> str:
    """Return the condition for a row of a cell; the index of kinds begins with the number."""
    kept, cell = (
        text_hash_sql(vendor, f"{table}.transaction_type", status, f"{table}.category_id")
        for table, status in [("kept", "kept.status"), ("cell", STATUS)]
    )
    return " AND ".join([f"{kept} = {cell}", *SAME_KIND, *WITHIN[vendor]])


def _fetch(sql: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Return the rows of a statement that the database plans anew for its values."""
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def _nearest_month(day: date) -> date:
    return day.replace(day=1) if day.day <= 16 else next_month(day)

"""The search for transactions: any filter, any page, in at most three statements.

Totals say how many there are of a kind in a month or a day, so that they count what is wanted and
find where a page lies; the page itself is read by index, kind by kind, and only its own rows come
from the table. Amounts have no totals: there what is wanted is counted, by day, in an index.
An account that is named by its number takes a statement of its own.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date
from typing import Any

from django.db import connection
from django.db.models import Count, QuerySet, Sum
from django.db.models.expressions import RawSQL
from django.db.models.functions import TruncDate

from banking.choices import Granularity
from banking.models import Business, Transaction
from banking.models.transactions import DAY, EARLIEST, LATEST, next_month
from banking.queries.filters import TransactionFilter

SPARSE = 1000  # so many rows are sorted as fast as their days are looked up
KIND = ["account_id", "transaction_type", "category_id", "is_business"]
CELL = ["starts_on", "is_pending", *KIND]
PAGE = """
WITH cell({columns}) AS ({cells})
SELECT kept.id FROM cell {joined}
ORDER BY kept.occurred_at DESC, kept.id DESC LIMIT %s OFFSET %s
"""
JOINED = {
    "postgresql": """CROSS JOIN LATERAL (
        SELECT id, occurred_at FROM ({rows}) kept WHERE {conditions}
        ORDER BY occurred_at DESC, id DESC LIMIT {most}
    ) kept""",  # a limit of its own: each cell is read by index, whatever the planner expects
    "sqlite": "JOIN ({rows}) kept ON {conditions}",
}
SAME_KIND = [
    *(f"kept.{column} = cell.{column}" for column in KIND),
    "kept.status = CASE WHEN cell.is_pending THEN 'PENDING' ELSE 'POSTED' END",
]
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

Counts = Sequence[tuple[date, int]]  # how many in the period that starts there, the newest first


@dataclass(frozen=True)
class TransactionPage:
    """One page of what was found; pages are counted from 1."""

    page: int
    total_count: int
    transactions: list[Transaction]


@dataclass(frozen=True)
class Place:
    """Where a page lies: in which periods, and after how many rows of the first of them."""

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
    business: Business, filters: TransactionFilter, *, page: int, page_size: int
) -> TransactionPage:
    """Return a page of the transactions that are wanted, the newest first, and how many there are.

    Their accounts, merchants and locations come with them. Raises: ValueError, as pages start at 1.
    """
    if page < 1 or page_size < 1:
        raise ValueError("Pages start at 1 and have rows.")
    filters = _with_account(business, filters)
    granularity, counts = count_transactions(business, filters)
    place = _locate(granularity, counts, (page - 1) * page_size, page_size)
    if place.count > SPARSE and granularity is Granularity.MONTH:
        days = _count_by_day(business, filters, place)
        place = _locate(Granularity.DAY, days, place.offset, page_size)
    return TransactionPage(
        page=page,
        total_count=sum(count for _, count in counts),
        transactions=list(_read(business, filters, place, page_size)) if place.periods else [],
    )


def _with_account(business: Business, filters: TransactionFilter) -> TransactionFilter:
    """Name the account by its id: the database plans for what it knows, not for a number."""
    if filters.account or filters.account_number is None:
        return filters
    account = business.accounts.filter(account_number=filters.account_number).first()
    return replace(filters, account=account, account_number=None) if account else filters


def count_transactions(
    business: Business, filters: TransactionFilter
) -> tuple[Granularity, Counts]:
    """Return how many of the wanted there are by month or, where amounts matter, by day."""
    if filters.has_amounts:
        day = TruncDate("occurred_at", tzinfo=UTC)
        rows = filters.transactions(business).order_by().values_list(day)
        return Granularity.DAY, sorted(rows.annotate(Count("id")), reverse=True)
    parts = _parts(filters.first, filters.until)
    sums = [
        filters.totals(business)
        .filter(granularity=granularity, starts_on__gte=start, starts_on__lt=end)
        .values_list("starts_on")
        .annotate(number=sign * Sum("count"))
        for granularity, start, end, sign in parts
    ]
    return Granularity.MONTH, _by_month(sums[0].union(*sums[1:], all=True)) if sums else []


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


def _by_month(counts: Iterable[tuple[date, int]]) -> Counts:
    months: dict[date, int] = {}
    for starts_on, count in counts:
        month = starts_on.replace(day=1)
        months[month] = months.get(month, 0) + count
    return sorted(months.items(), reverse=True)


def _count_by_day(business: Business, filters: TransactionFilter, place: Place) -> Counts:
    """Return how many there are on each day of the months where the page lies."""
    oldest, newest = place.starts[-1], place.starts[0]
    days = filters.totals(business).filter(
        granularity=Granularity.DAY,
        starts_on__gte=max(oldest, filters.first or oldest),
        starts_on__lt=min(next_month(newest), filters.until or LATEST),
    )
    return sorted(days.values_list("starts_on").annotate(Sum("count")), reverse=True)


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
) -> QuerySet[Transaction]:
    """Read the rows of a page: first which they are, then all about these."""
    find = _ids_within_days if place.granularity is Granularity.DAY else _ids_by_kind
    ids: Any = find(business, filters, place, limit)
    return (
        Transaction.objects.filter(business=business, pk__in=ids)
        .select_related("account", "merchant", "location")
        .newest_first()
    )


def _ids_within_days(
    business: Business, filters: TransactionFilter, place: Place, limit: int
) -> QuerySet[Transaction, Any] | list[int]:
    """Return the ids from few days, by the index of time; or of amounts, where these are rare."""
    days = replace(filters, start_date=place.starts[-1], end_date=place.starts[0])
    rows = days.transactions(business).newest_first().values("pk")
    page = slice(place.offset, place.offset + limit)
    if filters.has_amounts and place.count <= SPARSE:  # a limit would lure into reading every day
        return list(rows.values_list("pk", flat=True))[page]
    return rows[page]


def _ids_by_kind(
    business: Business, filters: TransactionFilter, place: Place, limit: int
) -> RawSQL:
    """Return the ids from months with few, by the index of kinds: totals say which there are."""
    totals = filters.totals(business).filter(
        granularity=place.granularity, starts_on__in=place.starts
    )
    cells, of_cells = totals.values_list(*CELL).query.sql_with_params()
    wanted = filters.transactions(business).values_list("id", "occurred_at", "status", *KIND)
    rows, of_rows = wanted.query.sql_with_params()
    conditions = " AND ".join([*SAME_KIND, *WITHIN[connection.vendor]])
    joined = JOINED[connection.vendor].format(
        rows=rows,
        conditions=conditions,
        most=place.offset + limit,
    )
    sql = PAGE.format(columns=", ".join(CELL), cells=cells, joined=joined)
    return RawSQL(sql, [*of_cells, *of_rows, limit, place.offset])  # noqa: S611 - of parameters


def _nearest_month(day: date) -> date:
    return day.replace(day=1) if day.day <= 16 else next_month(day)

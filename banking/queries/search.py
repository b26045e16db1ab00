"""The search for transactions: any filter, any page, in at most three statements.

The counts of the matches (`search_counts`) locate the page, which is then read by index, kind by
kind, so that only its own rows come from the table. An account that is named by its number takes a
statement of its own, and so do words.

The statements are written by hand, because the ORM takes longer to build them than to read a page.
Arguments are bound by name; only values that were computed here are part of the text.
"""

from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cache
from typing import NamedTuple
from uuid import UUID

from django.db import connection

from banking.choices import Direction, Granularity, TransactionStatus
from banking.models import Business
from banking.numbers import ACCOUNT_NUMBER_DIGITS
from banking.queries.filters import TransactionFilter
from banking.queries.search_counts import Counts, count_by_day, count_transactions, fetch
from banking.queries.words import find_similar, find_words
from foundation.database.text_hashes import text_hash_sql
from foundation.database.timestamps import aware
from foundation.external_ids import parse

SPARSE = 1000  # so many rows are sorted as fast as their days are looked up
PAGE = """
SELECT found.external_id, found.occurred_at, {number}, found.transaction_type,
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
FULL_NUMBER = "account.account_number"
MASKED_NUMBER = """CASE WHEN EXISTS (
    SELECT 1 FROM banking_account other
    WHERE other.business_id = account.business_id AND other.id <> account.id
    AND substr(other.account_number, 9) = substr(account.account_number, 9)
) THEN {id} ELSE '••••' || substr(account.account_number, 9) END"""
ID_AS_TEXT = {"postgresql": "account.external_id::text", "sqlite": "account.external_id"}
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


class FoundTransaction(NamedTuple):
    """A transaction in a search result.

    `merchant_name` may be the name that came with the transaction.
    If the caller may not read full numbers, `account_number` is the masked number or, if another
    account of the business has the same masked number, the account's external id.

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
        """Return whether the transaction is pending, that is a hold."""
        return self.status == TransactionStatus.PENDING

    @property
    def direction(self) -> Direction:
        """Return whether money came in or left."""
        return Direction.CREDIT if self.amount_cents > 0 else Direction.DEBIT


@dataclass(frozen=True)
class TransactionPage:
    """A page of found transactions, counted from 1; the sums are those of all pages.

    With `total_is_lower_bound` more than `total_count` match, and the sums are None.
    """

    page: int
    total_count: int
    total_in_cents: int | None
    total_out_cents: int | None
    transactions: list[FoundTransaction]
    matched_query: str | None = None  # the words that were searched, or words similar to them
    total_is_lower_bound: bool = False

    @property
    def total_amount_cents(self) -> int | None:
        """Return the money in of all matches less their money out. Units: cents."""
        if self.total_in_cents is None or self.total_out_cents is None:
            return None
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
        """Return the number of rows in all periods."""
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

    `texts` are the words of a query; if no transaction has them, similar words of merchants are
    searched, unless the reach leaves out accounts or days.
    Raises: ValueError for a page or a page size below 1.
    """
    if page < 1 or page_size < 1:
        raise ValueError("Pages start at 1 and have rows.")
    filters = _with_account(business, filters)
    if texts:
        filters = replace(filters, words=find_words(business, texts))
    offset = (page - 1) * page_size
    matches = count_transactions(business, filters, at_least=offset + page_size)
    may_guess = filters.reach.has_all_rows  # similar words may come from rows out of reach
    if (
        texts
        and may_guess
        and not matches.total_count
        and (texts := find_similar(business, texts) or texts)
    ):
        filters = replace(filters, words=find_words(business, texts))
        matches = count_transactions(business, filters, at_least=offset + page_size)
    place = _locate(matches.granularity, matches.counts, offset, page_size)
    if place.count > SPARSE and place.granularity is Granularity.MONTH:
        oldest, newest = place.starts[-1], place.starts[0]
        days = count_by_day(business, filters, oldest=oldest, newest=newest)
        place = _locate(Granularity.DAY, days, place.offset, page_size)
    return TransactionPage(
        page=page,
        total_count=matches.total_count,
        total_in_cents=matches.in_cents,
        total_out_cents=matches.out_cents,
        transactions=_read(business, filters, place, page_size) if place.periods else [],
        matched_query=" ".join(texts) or None,
        total_is_lower_bound=matches.is_lower_bound,
    )


def _with_account(business: Business, filters: TransactionFilter) -> TransactionFilter:
    """Return the filter with the account instead of its number, as statistics exist for its id.

    A number that no account of the business has is kept.
    """
    if filters.account or filters.account_number is None:
        return filters
    account = business.accounts.filter(account_number=filters.account_number).first()
    return replace(filters, account=account, account_number=None) if account else filters


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
    """Return the transactions of a page: find their ids by an index, then read only these rows."""
    if place.granularity is Granularity.MONTH:
        ids = _ids_by_kind(filters, place, limit)
    else:
        filters = replace(filters, start_date=place.starts[-1], end_date=place.starts[0])
        ids = _ids_by_time(business, filters, place, limit)
    number = FULL_NUMBER if filters.reach.shows_numbers else _masked_number(connection.vendor)
    rows = fetch(PAGE.format(ids=ids, number=number), filters.values(business))
    return [
        FoundTransaction._make(
            (
                parse(external_id),
                aware(occurred_at),
                _number_or_id(number),
                *others,
                bool(has_receipt),
            )
        )
        for external_id, occurred_at, number, *others, has_receipt in rows
    ]


def _ids_by_time(business: Business, filters: TransactionFilter, place: Place, limit: int) -> str:
    """Return SQL for the ids by the index of time, or by the index of amounts if few match."""
    ids = IDS.format(wanted=filters.where_transactions())
    if not filters.has_totals and place.count <= SPARSE:
        # with a LIMIT, PostgreSQL would choose the index of time and read every day
        rows = fetch(ids, filters.values(business))[place.offset : place.offset + limit]
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


def _number_or_id(number: str) -> str:
    """Return the name of an account: a number, or its id, which SQLite stores without hyphens."""
    return number if len(number) <= ACCOUNT_NUMBER_DIGITS else str(parse(number))


@cache
def _masked_number(vendor: str) -> str:
    return MASKED_NUMBER.format(id=ID_AS_TEXT[vendor])


@cache
def _same_kind(vendor: str) -> str:
    """Return the SQL condition that a transaction, `kept`, is counted in a total, `cell`.

    It compares a hash of the kind first, with which the index of kinds begins.
    """
    kept, cell = (
        text_hash_sql(vendor, f"{table}.transaction_type", status, f"{table}.category_id")
        for table, status in [("kept", "kept.status"), ("cell", STATUS)]
    )
    return " AND ".join([f"{kept} = {cell}", *SAME_KIND, *WITHIN[vendor]])

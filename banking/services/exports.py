"""Exports: a business's transactions as CSV, a row at a time."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from django.db import connection

from banking.models import Business
from banking.money import usd
from banking.queries.exports import copy_exported, list_exported
from banking.queries.filters import TransactionFilter
from banking.queries.profits import counts_as
from foundation.files import CSV, Stream, stream_csv

MAX_DAYS = 366
BATCH_SIZE = 1_000  # rows in memory
TIME = "%Y-%m-%dT%H:%M:%SZ"
HEADER = (
    "Transaction ID",
    "Time (UTC)",
    "Account",
    "Type",
    "Status",
    "Amount (USD)",
    "Category",
    "Merchant",
    "Description",
    "Use",
    "Settled (UTC)",
    "Counts as",
)

Row = tuple[Any, ...]


class RangeTooLong(ValueError):
    """The export would cover more than a year; the expense report is made for that."""


def export_csv(business: Business, filters: TransactionFilter) -> Stream:
    """Return the transactions as a CSV file, the newest first, made while it is read.

    Shape: a chunk for the header, then one for each transaction. Raises: RangeTooLong for more than
    MAX_DAYS, also if either end is left open.
    """
    first, until = filters.first, filters.until
    if first is None or until is None or (until - first).days > MAX_DAYS:
        raise RangeTooLong(f"An export covers at most {MAX_DAYS} days.")
    name = f"transactions-{filters.start_date}-{filters.end_date}.csv"
    return Stream(CSV, name, write_lines(business, filters))


def write_lines(business: Business, filters: TransactionFilter) -> Iterator[bytes]:
    """Yield the header, and a line for each transaction, the newest first."""
    if connection.vendor != "postgresql":
        yield from stream_csv(HEADER, export_rows(business, filters))
        return
    yield from stream_csv(HEADER, [])
    yield from copy_exported(business, filters)


def export_rows(business: Business, filters: TransactionFilter) -> Iterator[Row]:
    """Yield the cells of each transaction that `filters` select, the newest first.

    Few rows are in memory at a time. Names are empty if the reach of the filters hides them.
    """
    shows_names = filters.reach.shows_names
    rows = list_exported(business, filters).iterator(BATCH_SIZE)
    return (_cells(row, shows_names=shows_names) for row in rows)


def _cells(row: Any, *, shows_names: bool) -> Row:
    return (
        str(row.external_id),
        f"{row.occurred_at:{TIME}}",
        f"••••{row.account__account_number[-4:]}",
        row.transaction_type,
        row.status,
        Decimal(usd(row.amount_cents)),  # a number, so that its sign is not defused
        row.category__display_name,
        row.merchant_label if shows_names else "",
        row.description if shows_names else "",
        "BUSINESS" if row.is_business else "PRIVATE",
        f"{row.settled_at:{TIME}}" if row.settled_at else None,
        counts_as(row.category_id, row.category__category_type),
    )

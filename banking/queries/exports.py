"""Exports: a business's transactions as CSV, a row at a time."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from django.db.models import Case, CharField, F, When

from banking.files import stream_csv
from banking.models import Business
from banking.money import usd
from banking.queries.filters import TransactionFilter

LONGEST_DAYS = 366
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
)
COLUMNS = (
    "external_id",
    "occurred_at",
    "account__account_number",
    "transaction_type",
    "status",
    "amount_cents",
    "category__display_name",
    "merchant_label",
    "description",
    "is_business",
)

Row = tuple[Any, ...]


class RangeTooLong(ValueError):
    """The export would cover more than a year; the expense report is made for that."""


def export_csv(business: Business, filters: TransactionFilter) -> Iterator[bytes]:
    """Return the transactions as a CSV file, the newest first, a row at a time.

    Raises: RangeTooLong, also if either end is left open.
    """
    first, until = filters.first, filters.until
    if first is None or until is None or (until - first).days > LONGEST_DAYS:
        raise RangeTooLong(f"An export covers at most {LONGEST_DAYS} days.")
    return stream_csv(HEADER, export_rows(business, filters))


def export_rows(business: Business, filters: TransactionFilter) -> Iterator[Row]:
    """Yield the cells of each transaction that is wanted, few rows in memory at a time."""
    name = Case(
        When(merchant=None, then=F("merchant_raw_name")),
        default=F("merchant__name"),
        output_field=CharField(),
    )
    rows = filters.transactions(business).newest_first().annotate(merchant_label=name)
    return map(_cells, rows.values_list(*COLUMNS).iterator())


def _cells(values: Row) -> Row:
    row = dict(zip(COLUMNS, values, strict=True))
    return (
        str(row["external_id"]),
        f"{row['occurred_at']:%Y-%m-%dT%H:%M:%SZ}",
        f"••••{str(row['account__account_number'])[-4:]}",
        row["transaction_type"],
        row["status"],
        Decimal(usd(row["amount_cents"])),  # a number, so that its sign is not defused
        row["category__display_name"],
        row["merchant_label"],
        row["description"],
        "BUSINESS" if row["is_business"] else "PRIVATE",
    )

"""Totals of transactions by day and month, written together with the transactions."""

from collections.abc import Iterable
from datetime import UTC
from typing import Any

import orjson
from django.db import connection

from banking.choices import Granularity
from banking.models import Transaction
from foundation.database import prepared_statements

COLUMNS = [
    "business_id",
    "granularity",
    "starts_on",
    "account_id",
    "transaction_type",
    "is_pending",
    "category_id",
    "is_business",
    "count",
    "in_cents",
    "out_cents",
]
NAMES = ", ".join(COLUMNS)
UPSERT = f"""
INSERT INTO banking_transactiontotal ({NAMES}) {{source}}
ON CONFLICT ({", ".join(COLUMNS[:-3])}) DO UPDATE SET
    count = banking_transactiontotal.count + excluded.count,
    in_cents = banking_transactiontotal.in_cents + excluded.in_cents,
    out_cents = banking_transactiontotal.out_cents + excluded.out_cents
"""
UPSERT_ONE = UPSERT.format(source=f"VALUES ({', '.join(['%s'] * len(COLUMNS))})")
UPSERT_ALL = UPSERT.format(  # on PostgreSQL
    source=f"SELECT {NAMES} FROM "  # noqa: S608 - names of columns
    "jsonb_populate_recordset(NULL::banking_transactiontotal, %s::jsonb)"
)
TAKE_AWAY = """
UPDATE banking_transactiontotal
SET count = count + %s, in_cents = in_cents + %s, out_cents = out_cents + %s
WHERE business_id = %s AND granularity = %s AND starts_on = %s AND account_id = %s
    AND transaction_type = %s AND is_pending = %s AND category_id = %s AND is_business = %s
"""

Key = tuple[Any, ...]  # the columns of a total before its sums, in the order of UPSERT
Sums = tuple[int, int, int]  # how many, cents in, cents out


def add(rows: Iterable[Transaction], *, sign: int = 1) -> None:
    """Count live transactions in, or with `sign=-1` out again.

    Their accounts are locked by the caller: nobody else writes the same totals meanwhile.
    """
    sums = _sums(rows)
    if sign > 0 and connection.vendor == "postgresql":
        totals = [dict(zip(COLUMNS, key + sums[key], strict=True)) for key in sums]
        prepared_statements.execute(UPSERT_ALL, [orjson.dumps(totals).decode()])
        return
    with connection.cursor() as cursor:
        if sign > 0:
            cursor.executemany(UPSERT_ONE, [key + sums[key] for key in sums])
        else:
            taken = [(*(-number for number in sums[key]), *key) for key in sums]
            cursor.executemany(TAKE_AWAY, taken)


def _sums(rows: Iterable[Transaction]) -> dict[Key, Sums]:
    sums: dict[Key, Sums] = {}
    for row in rows:
        came, left = max(0, row.amount_cents), max(0, -row.amount_cents)
        for key in _keys(row):
            count, in_cents, out_cents = sums.get(key, (0, 0, 0))
            sums[key] = (count + 1, in_cents + came, out_cents + left)
    return sums


def _keys(row: Transaction) -> list[Key]:
    day = row.occurred_at.astimezone(UTC).date()
    periods = [(Granularity.DAY, day), (Granularity.MONTH, day.replace(day=1))]
    return [
        (
            row.business_id,
            granularity.value,
            starts_on,
            row.account_id,
            str(row.transaction_type),
            row.is_pending,
            row.category_id,
            row.is_business,
        )
        for granularity, starts_on in periods
    ]

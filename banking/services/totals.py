"""Totals of transactions by day, month and merchant, written together with the transactions."""

from collections.abc import Callable, Iterable
from datetime import UTC
from typing import Any

import orjson
from django.db import connection, transaction
from django.db.models import QuerySet

from banking.choices import Granularity
from banking.models import Transaction
from banking.queries import ledger
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
OF_MERCHANTS = [
    "business_id",
    "starts_on",
    "merchant_key",
    "raw_name",
    "category_id",
    "is_business",
    "count",
    "in_cents",
    "out_cents",
]
TABLES = {"banking_transactiontotal": COLUMNS, "banking_merchanttotal": OF_MERCHANTS}
UPSERT = """
INSERT INTO {table} ({names}) {source}
ON CONFLICT ({key}) DO UPDATE SET
    count = {table}.count + excluded.count,
    in_cents = {table}.in_cents + excluded.in_cents,
    out_cents = {table}.out_cents + excluded.out_cents
"""
TAKE_AWAY = """
UPDATE {table}
SET count = count + %s, in_cents = in_cents + %s, out_cents = out_cents + %s
WHERE {key}
"""


def _upsert(table: str, source: str) -> str:
    names, key = ", ".join(TABLES[table]), ", ".join(TABLES[table][:-3])
    return UPSERT.format(table=table, names=names, key=key, source=source.format(names=names))


def _upsert_one(table: str) -> str:
    return _upsert(table, f"VALUES ({', '.join(['%s'] * len(TABLES[table]))})")


def _upsert_many(table: str) -> str:
    """Return the statement that takes all rows as one JSON text, on PostgreSQL."""
    return _upsert(
        table,
        "SELECT {names} FROM "  # noqa: S608 - names of columns
        f"jsonb_populate_recordset(NULL::{table}, %s::jsonb)",
    )


def _take_away(table: str) -> str:
    key = " AND ".join(f"{column} = %s" for column in TABLES[table][:-3])
    return TAKE_AWAY.format(table=table, key=key)


UPSERT_ALL = (
    f"WITH kinds AS ({_upsert_many('banking_transactiontotal')}) "
    f"{_upsert_many('banking_merchanttotal')}"
)

Key = tuple[Any, ...]  # the columns of a total before its sums, in the order of UPSERT
Sums = tuple[int, int, int]  # how many, cents in, cents out


def add(rows: Iterable[Transaction], *, sign: int = 1) -> None:
    """Add pending or posted transactions to the totals, or with `sign=-1` subtract them.

    Their accounts are locked by the caller, so nobody else writes the totals of an account
    meanwhile. Totals of merchants have no account: they are written in the order of their keys, so
    that writers wait and never deadlock.
    """
    rows = list(rows)
    sums = {
        "banking_transactiontotal": _sums(rows, _keys),
        "banking_merchanttotal": _sums(rows, _merchant_keys),
    }
    if sign > 0 and connection.vendor == "postgresql":
        texts = [
            orjson.dumps(
                [dict(zip(TABLES[table], key + of[key], strict=True)) for key in sorted(of)]
            ).decode()
            for table, of in sums.items()
        ]
        prepared_statements.execute(UPSERT_ALL, texts)
        return
    with connection.cursor() as cursor:
        for table, of in sums.items():
            if not of:
                continue
            if sign > 0:
                cursor.executemany(_upsert_one(table), [key + of[key] for key in sorted(of)])
            else:
                taken = [(*(-number for number in of[key]), *key) for key in sorted(of)]
                cursor.executemany(_take_away(table), taken)


@transaction.atomic
def rebuild() -> None:
    """Compute all totals anew from the transactions. Reads go on meanwhile; postings wait.

    On PostgreSQL the accounts and both tables of totals are locked first, in the order in which
    postings lock them. So a posting is either committed, and counted here, or waits and adds its
    transactions to the new totals.
    """
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            for table in ("banking_account", *TABLES):
                cursor.execute(f"LOCK TABLE {table} IN EXCLUSIVE MODE")
        for table in TABLES:
            cursor.execute(f"DELETE FROM {table}")  # noqa: S608 - name of a table
    for granularity in (Granularity.DAY, Granularity.MONTH):
        names = [name for name in COLUMNS if name != "granularity"]
        rows = ledger.sum_by_kind(granularity)
        _insert("banking_transactiontotal", names, rows, granularity=granularity.value)
    _insert("banking_merchanttotal", OF_MERCHANTS, ledger.sum_by_merchant())


def _insert(table: str, names: list[str], rows: "QuerySet[Any, Any]", **constants: str) -> None:
    """Insert the rows of a query into a table.

    `names` are the columns of the query, in its order; `constants` are values of further columns.
    """
    query, parameters = rows.query.sql_with_params()
    columns = ", ".join([*names, *constants])
    values = ", ".join(["sums.*", *["%s"] * len(constants)])
    source = f"SELECT {values} FROM ({query}) sums"  # noqa: S608 - names of columns, and the ORM's
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} ({columns}) {source}",
            [*constants.values(), *parameters],
        )


def _sums(rows: Iterable[Transaction], keys: Callable[[Transaction], list[Key]]) -> dict[Key, Sums]:
    sums: dict[Key, Sums] = {}
    for row in rows:
        came, left = max(0, row.amount_cents), max(0, -row.amount_cents)
        for key in keys(row):
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


def _merchant_keys(row: Transaction) -> list[Key]:
    if row.is_pending:
        return []
    month = row.occurred_at.astimezone(UTC).date().replace(day=1)
    raw_name = "" if row.merchant_id else row.merchant_raw_name
    merchant = (row.merchant_id or 0, raw_name)
    return [(row.business_id, month, *merchant, row.category_id, row.is_business)]

"""Millions of transactions for benchmarks, made within PostgreSQL by a handful of statements.

Meanwhile the tables are locked and have no foreign keys, secondary indexes or triggers. All are
there again, and every row was checked by them, before the one transaction ends.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Max

from banking import scale_statements as sql
from banking.choices import AccountType, BusinessType
from banking.models import Account, Business, Merchant
from banking.numbers import complete_account_number
from banking.services.ledger import bank_account

FILLED = ["banking_entry", "banking_posting", "banking_transaction", "banking_transactiontotal"]
SPAN = timedelta(days=3 * 365)
PENDING = timedelta(days=2)  # the newest are still holds
MERCHANTS = 400
# type, category, sign, from and to how many dollars, how many of a thousand
KINDS = [
    ("PURCHASE", "INVENTORY", -1, 5, 900, 190),
    ("PURCHASE", "OFFICE_SUPPLIES", -1, 3, 300, 90),
    ("PURCHASE", "MEALS", -1, 4, 180, 90),
    ("PURCHASE", "SOFTWARE", -1, 9, 400, 60),
    ("PURCHASE", "TRAVEL", -1, 20, 1500, 40),
    ("PURCHASE", "VEHICLE", -1, 15, 200, 50),
    ("PURCHASE", "SHIPPING", -1, 4, 150, 40),
    ("PURCHASE", "EQUIPMENT", -1, 50, 4000, 15),
    ("PURCHASE", "ADVERTISING", -1, 25, 2500, 20),
    ("PURCHASE", "REPAIRS", -1, 40, 1200, 10),
    ("FUND_TRANSFER", "SALES", 1, 20, 4000, 170),
    ("FUND_TRANSFER", "SERVICES", 1, 100, 8000, 50),
    ("FUND_TRANSFER", "PAYROLL", -1, 1400, 5200, 30),
    ("FUND_TRANSFER", "RENT", -1, 1800, 4200, 6),
    ("FUND_TRANSFER", "UTILITIES", -1, 60, 600, 9),
    ("FUND_TRANSFER", "INSURANCE", -1, 120, 900, 5),
    ("FUND_TRANSFER", "CONTRACTORS", -1, 200, 3000, 15),
    ("REFUND", "REFUNDS", 1, 5, 400, 25),
    ("CHECK_DEPOSIT", "SALES", 1, 80, 6000, 20),
    ("FEE", "BANK_FEES", -1, 2, 35, 15),
    ("ATM", "CASH_WITHDRAWAL", -1, 20, 500, 20),
    ("CACHE_DEPOSIT", "SALES", 1, 50, 2500, 30),
]


class NeedsPostgreSQL(Exception):
    """Only PostgreSQL makes transactions by the million."""


@dataclass(frozen=True)
class Scale:
    """What is to be made: `share` of the transactions are the first business's."""

    count: int
    businesses: int = 1001
    share: float = 0.8
    seed: int = 7


@transaction.atomic
def make_transactions(scale: Scale, *, until: datetime) -> Business:
    """Make businesses with transactions of three years before `until`; return the first of them.

    `verify_ledger` finds them clean. Vacuum afterwards: no transaction can do that itself.
    Raises: NeedsPostgreSQL.
    """
    if connection.vendor != "postgresql":
        raise NeedsPostgreSQL("Transactions by the million need PostgreSQL: set DATABASE_URL.")
    accounts = _open_accounts(scale, until - SPAN)
    _execute("SET CONSTRAINTS ALL IMMEDIATE")
    _execute(sql.SETTINGS)
    with _bare_tables():
        _execute("SELECT setseed(%s)", [math.modf(scale.seed / 1000)[0]])
        _execute(sql.UUID_FUNCTION)
        _execute(sql.ACCOUNTS, [[account.pk for account in accounts]])
        _execute(sql.KINDS, _kind_columns())
        _execute(sql.MADE, _made(scale, until, accounts[0]))
        _execute(sql.ENTRIES, _counters())
        for statement in [sql.POSTINGS, sql.TRANSACTIONS, sql.DAYS, sql.MONTHS, sql.BALANCES]:
            _execute(statement)
    business = accounts[0].business
    assert business  # noqa: S101 - these accounts are of businesses
    return business


def vacuum() -> None:
    """Let index-only scans know what everybody sees; outside of transactions."""
    if connection.vendor == "postgresql":
        _execute("VACUUM ANALYZE " + ", ".join(FILLED))


def _open_accounts(scale: Scale, at: datetime) -> Sequence[Account]:
    first = Business.objects.aggregate(last=Max("pk"))["last"] or 0
    businesses = Business.objects.bulk_create(
        Business(
            legal_name=f"Scale {first + place} LLC",
            business_type=BusinessType.LLC,
            incorporation_state="TX",
            incorporation_date=at.date(),
            email=f"scale{first + place}@example.com",
            created_at=at,
        )
        for place in range(scale.businesses)
    )
    return Account.objects.bulk_create(
        Account(
            business=business,
            account_type=AccountType.MAIN_ACCOUNT,
            name="Business checking",
            account_number=complete_account_number(f"9{business.pk:010d}"),
            routing_number=settings.BANK_ROUTING_NUMBER,
            is_primary=True,
            opened_at=at,
        )
        for business in businesses
    )


def _kind_columns() -> dict[str, list[Any]]:
    names = ["types", "categories", "signs", "least", "most", "weights"]
    return dict(zip(names, map(list, zip(*KINDS, strict=True)), strict=True))


def _made(scale: Scale, until: datetime, first: Account) -> dict[str, Any]:
    return {
        "count": scale.count,
        "businesses": scale.businesses,
        "share": scale.share,
        "seed": f"{scale.seed}-{first.pk}",
        "until": until,
        "span": SPAN,
        "pending_from": until - PENDING,
        "merchants": _merchants(),
    }


def _merchants() -> list[int]:
    """Return the ids of the merchants that are bought from."""
    Merchant.objects.bulk_create(
        (Merchant(name=f"Merchant {number}", mcc="5999") for number in range(MERCHANTS)),
        ignore_conflicts=True,
    )
    return list(Merchant.objects.filter(mcc="5999").order_by("pk").values_list("pk", flat=True))


def _counters() -> dict[str, int]:
    return {
        "clearing": bank_account(AccountType.CLEARING).pk,
        "fee_income": bank_account(AccountType.FEE_INCOME).pk,
    }


@contextmanager
def _bare_tables() -> Iterator[None]:
    """Take foreign keys, secondary indexes and triggers off, and put them on again at the end."""
    keys = _rows(sql.FOREIGN_KEYS, [FILLED])
    uniques = _rows(sql.UNIQUE_CONSTRAINTS, {"tables": FILLED})
    indexes = _rows(sql.INDEXES, [FILLED])
    for table, name, _ in [*keys, *uniques]:
        _execute(f'ALTER TABLE {table} DROP CONSTRAINT "{name}"')
    for _, name, _ in indexes:
        _execute(f'DROP INDEX "{name}"')
    for table in FILLED:
        _execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    yield
    for _, _, definition in indexes:
        _execute(definition)
    for table, name, definition in [*uniques, *keys]:
        _execute(f'ALTER TABLE {table} ADD CONSTRAINT "{name}" {definition}')
    for table in FILLED:
        _execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")
    _refuse_unbalanced()


def _refuse_unbalanced() -> None:
    """Check what the triggers would have: they were off. Raises: IntegrityError."""
    _execute(sql.REFUSE_UNBALANCED)


def _rows(statement: str, parameters: Any) -> list[tuple[str, str, str]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        rows: list[tuple[str, str, str]] = cursor.fetchall()
    return rows


def _execute(statement: str, parameters: Any = None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)

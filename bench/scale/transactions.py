"""Make businesses with transactions by the million, in one database transaction."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Max

from banking.choices import AccountType, BusinessType
from banking.demo.dice import Dice
from banking.demo.transaction_types import TRANSACTION_TYPES
from banking.models import Account, Business, Merchant
from banking.numbers import complete_account_number
from banking.services.ledger import bank_account
from bench.scale import sql
from bench.scale.tables import bare, execute, rows

FILLED = [
    "banking_entry",
    "banking_posting",
    "banking_transaction",
    "banking_transactiontotal",
    "banking_merchanttotal",
]
SPAN = timedelta(days=3 * 365)
PENDING = timedelta(days=2)  # the newest are still holds
MERCHANTS = 1_000


class NeedsPostgreSQL(Exception):
    """Only PostgreSQL makes transactions by the million."""


@dataclass(frozen=True)
class Scale:
    """The number of transactions and of businesses; `share` is the part of the first business."""

    count: int
    businesses: int = 1001
    share: float = 0.8
    seed: int = 7


@transaction.atomic
def make_transactions(scale: Scale, *, until: datetime) -> Business:
    """Make businesses with three years of transactions before `until`; return the first business.

    Do not read or write the ledger meanwhile. Call `vacuum` after the transaction.
    Raises: NeedsPostgreSQL.
    """
    if connection.vendor != "postgresql":
        raise NeedsPostgreSQL("Transactions by the million need PostgreSQL: set DATABASE_URL.")
    accounts = _open_accounts(scale, until - SPAN)
    execute(sql.SETTINGS)
    with bare(FILLED):
        _draw(scale, until, accounts)
        first = _fill(scale.count)
    execute(sql.REFUSE_UNBALANCED, {"first": first})
    business = accounts[0].business
    assert business  # noqa: S101 - these accounts are of businesses
    return business


def vacuum() -> None:
    """Vacuum the tables, so that index-only scans are fast. Call it outside a transaction."""
    if connection.vendor == "postgresql":
        execute("VACUUM ANALYZE " + ", ".join(FILLED))


def _open_accounts(scale: Scale, at: datetime) -> Sequence[Account]:
    first = Business.objects.aggregate(last=Max("pk"))["last"] or 0
    businesses = Business.objects.bulk_create(
        Business(
            legal_name=f"Scale {first + place} LLC",
            business_type=BusinessType.LLC,
            incorporation_state="TX",
            incorporation_date=at.date(),
            filing_status="SINGLE",
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


def _draw(scale: Scale, until: datetime, accounts: Sequence[Account]) -> None:
    """Fill a temporary table with the random values of all transactions."""
    execute("SELECT setseed(%s)", [math.modf(scale.seed / 1000)[0]])
    execute(sql.ACCOUNTS, [[account.pk for account in accounts]])
    execute(sql.KINDS, _kinds())
    execute(sql.MADE, _made(scale, until, accounts[0]))


def _fill(count: int) -> int:
    """Insert the drawn transactions with their entries, postings, totals and balances.

    Return the lowest new entry id. Shape: `count` is a number of transactions.
    """
    first = _first_id("banking_entry", 2 * count)
    execute(sql.ENTRIES, {"first": first, "count": count})
    execute(sql.POSTINGS)
    execute(sql.TRANSACTIONS, {"first": _first_id("banking_transaction", count)})
    execute(sql.TOTALS)
    execute(sql.MERCHANT_TOTALS)
    execute(sql.BALANCES)
    return first


def _first_id(table: str, count: int) -> int:
    """Reserve `count` ids of a table's sequence in one call; return the first id."""
    [(first,)] = rows(sql.FIRST_ID, {"table": table, "count": count})
    return int(first)


def _kinds() -> dict[str, list[Any]]:
    fees, clearing = bank_account(AccountType.FEE_INCOME), bank_account(AccountType.CLEARING)
    return {
        "types": [kind.transaction_type for kind in TRANSACTION_TYPES],
        "categories": [kind.category for kind in TRANSACTION_TYPES],
        "are_bought": [kind.is_bought for kind in TRANSACTION_TYPES],
        "counters": [(fees if kind.is_fee else clearing).pk for kind in TRANSACTION_TYPES],
    }


def _made(scale: Scale, until: datetime, first: Account) -> dict[str, Any]:
    return {
        "count": scale.count,
        "businesses": scale.businesses,
        "share": scale.share,
        "seed": Dice(f"{scale.seed}:{first.pk}").getrandbits(62),
        "until": _milliseconds(until),
        "step": SPAN / timedelta(milliseconds=scale.count),
        "pending_from": _milliseconds(until - PENDING),
        "slots": [
            place for place, kind in enumerate(TRANSACTION_TYPES, 1) for _ in range(kind.share)
        ],
        "least": [100 * kind.sign * kind.least for kind in TRANSACTION_TYPES],
        "ranges": [100 * kind.sign * (kind.most - kind.least) for kind in TRANSACTION_TYPES],
        "merchants": _merchants(),
    }


def _milliseconds(at: datetime) -> int:
    return int(at.timestamp() * 1000)


def _merchants() -> list[int]:
    """Save merchants, and return the ids of all merchants of their category."""
    Merchant.objects.bulk_create(
        (Merchant(name=f"Merchant {number}", mcc="5999") for number in range(MERCHANTS)),
        ignore_conflicts=True,
    )
    return list(Merchant.objects.filter(mcc="5999").order_by("pk").values_list("pk", flat=True))

"""Large tables plain and partitioned: `python -m bench.partitions` (half an hour, 25 GB of disk).

It starts a PostgreSQL of its own, makes 10,000,000 transactions with their entries in it, copies
both tables into partitions by month and by hash, and runs the product's own statements on each:
pages of the search, the lines of a month's statement, postings, and a vacuum. The figures are CPU
time of the server's process and pages of 8 KiB, which a busy machine does not change.
"""

import argparse
import json
import os
import random
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from statistics import median
from typing import Any

import psutil

from bench import databases, parts

COUNT = 10_000_000
BUSINESSES = 1_001
SHARE = 0.05  # of the first business
POSTINGS = 300
CHANGED = 10_000  # rows before a vacuum
DRAWS = 12
SERVER = ("max_wal_size=2GB", "wal_level=minimal", "max_wal_senders=0", "autovacuum=off")
STATEMENTS = """
SELECT sum(shared_blks_hit + shared_blks_read)::bigint, sum(wal_bytes)::bigint
FROM pg_stat_statements JOIN pg_database ON pg_database.oid = dbid
WHERE datname = current_database()
"""
CHANGE = """
UPDATE banking_transaction SET note = 'seen' WHERE (id, occurred_at) IN (
    SELECT id, occurred_at FROM banking_transaction WHERE occurred_at >= %s LIMIT %s)
"""
Figures = dict[str, Any]


def main() -> int:
    """Run the benchmark and print its figures as JSON lines, one per layout."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=COUNT)
    count = parser.parse_args().count
    with databases.server(*SERVER) as url:
        os.environ.update(DATABASE_URL=url, DJANGO_SETTINGS_MODULE="config.settings_test")
        parts.set_up()
        with databases.in_database():
            run(count)
    return 0


def run(count: int) -> None:
    """Fill the tables and measure each layout."""
    from bench import partitioned_tables as tables
    from bench.scale import transactions as scale
    from bench.scale.tables import execute
    from bench.search_measures import UNTIL

    execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
    execute("DROP INDEX transaction_words")  # of the search for words, which no figure here uses
    start = time.monotonic()
    wanted = scale.Scale(count=count, businesses=BUSINESSES, share=SHARE)
    business = scale.make_transactions(wanted, until=UNTIL)
    scale.vacuum()
    seconds = round(time.monotonic() - start)
    bytes_each = {table: round(sum(tables.sizes(table)) / count, 1) for table in scale.FILLED}
    say(made=count, seconds=seconds, bytes_per_transaction=bytes_each)
    for layout in (tables.PLAIN, tables.BY_MONTH, tables.BY_OWNER):
        start = time.monotonic()
        with tables.laid_out(layout):
            copied = round(time.monotonic() - start)
            say(layout=layout.title, copied_seconds=copied, **measure(business))


def measure(business: Any) -> Figures:
    """Return the figures of the tables on the search path."""
    from bench import partitioned_tables as tables

    found: Figures = {
        f"{table} {part}": round(size / 2**20)
        for table in (tables.TRANSACTION, tables.ENTRY)
        for part, size in zip(("heap MiB", "indexes MiB"), tables.sizes(table), strict=True)
    }
    found |= searches(business) | statement(business) | postings(tables.backend())
    return found | vacuum(tables.backend())


def searches(business: Any) -> Figures:
    """Return the cost of search pages, with several filters and at several offsets."""
    from banking.queries.search import search_transactions
    from bench.explained import explain
    from bench.search_measures import BUSINESS, FILTERS, page_at

    BUSINESS[:] = [business]
    figures = {}
    for name in ("none", "30 days", "a year", "type", "amounts", "few amounts"):
        for place in ("first", "middle"):
            dice = random.Random(7)  # noqa: S311 - the same draws for each layout
            taken = []
            for _ in range(DRAWS):
                wanted = FILTERS[name](dice)
                page = page_at(business, wanted, 100, place)
                taken.append(
                    explain(lambda: search_transactions(business, wanted, page=page, page_size=100))  # noqa: B023 - called at once
                )
            figures[f"search {name}, {place}"] = _figures(taken)
    return figures


def statement(business: Any) -> Figures:
    """Return the cost of a month's statement lines, of a large and of small accounts."""
    from banking.models import Account, Statement
    from banking.queries.statements import list_transactions
    from bench.explained import explain

    def lines(account: Account, month: int) -> list[Any]:
        one = Statement(account=account, business=account.business, year=2025, month=month)
        return explain(lambda: list(list_transactions(one)))

    large = business.accounts.get()
    small = Account.objects.filter(business__gt=business.pk).order_by("pk")[:DRAWS]
    return {
        "statement, large": _figures([lines(large, month) for month in range(1, 13)]),
        "statement, small": _figures([lines(account, 6) for account in small]),
    }


def postings(pid: int) -> Figures:
    """Return the cost of a posting."""
    from banking.models import Account, Transaction
    from banking.services import ledger
    from bench.scale.tables import execute, rows
    from bench.search_measures import UNTIL

    accounts = list(Account.objects.exclude(business=None).order_by("pk"))
    dice = random.Random(7)  # noqa: S311 - the same draws for each layout

    def post() -> None:
        row = Transaction(
            account=dice.choice(accounts),
            transaction_type="FUND_TRANSFER",
            amount_cents=dice.randrange(100, 10_000),
            occurred_at=UNTIL + timedelta(hours=1),
            category_id="TRANSFERS_IN",
            description="Measured",
        )
        ledger.post(row, at=row.occurred_at)

    def post_many() -> None:
        for _ in range(POSTINGS):
            post()

    for _ in range(20):
        post()
    execute("SELECT pg_stat_statements_reset()")
    cpu = cpu_milliseconds(pid, post_many)
    [(buffers, wal)] = rows(STATEMENTS)
    return {
        "posting CPU ms": round(cpu / POSTINGS, 2),
        "posting buffers": round(buffers / POSTINGS),
        "posting WAL bytes": round(wal / POSTINGS),
    }


def vacuum(pid: int) -> Figures:
    """Return the cost of a vacuum that cleans indexes, after some rows changed."""
    from bench import partitioned_tables as tables
    from bench.scale.tables import execute
    from bench.search_measures import UNTIL

    execute(CHANGE, [UNTIL - timedelta(days=20), CHANGED])
    sql = f"VACUUM (PARALLEL 0, INDEX_CLEANUP ON) {tables.TRANSACTION}"
    return {"vacuum CPU ms": round(cpu_milliseconds(pid, lambda: execute(sql)))}


def cpu_milliseconds(pid: int, call: Callable[[], object]) -> float:
    """Return the CPU time that the server's process takes meanwhile."""
    process = psutil.Process(pid)
    before = process.cpu_times()
    call()
    after = process.cpu_times()
    return 1000 * (after.user + after.system - before.user - before.system)


def _figures(taken: list[list[Any]]) -> Figures:
    """Return medians of calls; a call is several statements."""
    return {
        "ms": round(median(sum(one.milliseconds for one in call) for call in taken), 2),
        "planning": round(median(sum(one.planning for one in call) for call in taken), 2),
        "buffers": round(median(sum(one.buffers for one in call) for call in taken)),
    }


def say(**figures: Any) -> None:
    """Print a line of figures."""
    sys.stdout.write(json.dumps(figures) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())

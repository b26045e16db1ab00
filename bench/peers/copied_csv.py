"""A file of transactions as PostgreSQL copies it out: what database, driver and server allow.

A WSGI application without a framework; `/csv/<business>/<first day>/<day after the last>`.
"""

import os
import threading
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import psycopg

from bench.peers.csv_columns import HEADER, UNCOUNTED

COPY = """
COPY (
    SELECT found.external_id, to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
        '••••' || right(account_number, 4), transaction_type, found.status,
        (amount_cents / 100.0)::numeric(20, 2), display_name, coalesce(name, merchant_raw_name),
        description, CASE WHEN is_business THEN 'BUSINESS' ELSE 'PRIVATE' END,
        to_char(settled_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
        CASE WHEN NOT code = ANY('{uncounted}') THEN category_type END
    FROM (SELECT * FROM banking_transaction) found
    JOIN (SELECT id AS account, account_number FROM banking_account) a ON account = account_id
    JOIN banking_category ON code = category_id
    LEFT JOIN (SELECT id AS merchant, name FROM banking_merchant) m ON merchant = merchant_id
    WHERE business_id = {business} AND found.status IN ('PENDING', 'POSTED')
        AND occurred_at >= '{first}T00:00:00Z' AND occurred_at < '{until}T00:00:00Z'
    ORDER BY occurred_at DESC, found.id DESC
) TO STDOUT (FORMAT csv)
"""
AT_ONCE = 500  # lines
kept = threading.local()


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterator[bytes]:
    """Stream the transactions of some days."""
    _, _, business, first, until = environ["PATH_INFO"].split("/")
    start_response("200 OK", [("Content-Type", "text/csv")])
    uncounted = "{" + ",".join(UNCOUNTED) + "}"
    statement = COPY.format(business=int(business), first=first, until=until, uncounted=uncounted)
    return copied(statement)


def copied(statement: str) -> Iterator[bytes]:
    """Yield the header, then what the database sends."""
    if not hasattr(kept, "connection"):
        kept.connection = psycopg.connect(os.environ["DATABASE_URL"], autocommit=True)
    yield ",".join(HEADER).encode() + b"\r\n"
    with kept.connection.cursor() as cursor, cursor.copy(statement) as copy:
        lines = iter(copy)
        while batch := list(islice(lines, AT_ONCE)):
            yield b"".join(batch)

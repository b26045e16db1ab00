"""The same tool as most would write it today: FastMCP, asynchronous, with raw SQL by psycopg.

`python -m bench.peers.fastmcp_psycopg DATABASE_URL PORT` serves it, with its own packages. The
token check is one statement, the count and the page are one each; there is no limit and no log.
"""

import hashlib
import sys
from datetime import UTC, date, datetime
from typing import Annotated

from fastmcp import FastMCP
from fastmcp.server.auth import AccessToken, TokenVerifier
from fastmcp.server.dependencies import get_access_token
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool
from pydantic import BaseModel, Field

DATABASE_URL, PORT = sys.argv[1:]
TOKEN_SQL = """
    SELECT t.expires, t.scope, o.business_id FROM oauth2_provider_accesstoken t
    JOIN banking_user u ON u.id = t.user_id AND u.is_active
    JOIN banking_businessowner o ON o.user_id = u.id
    WHERE t.token_checksum = %s
"""
SUMS = """
    SELECT count(*), coalesce(sum(amount_cents) FILTER (WHERE amount_cents > 0), 0)::bigint,
        coalesce(-sum(amount_cents) FILTER (WHERE amount_cents < 0), 0)::bigint
    FROM banking_transaction t WHERE t.business_id = %(business)s AND t.status <> 'RELEASED'
"""
PAGE = """
    SELECT t.external_id, a.account_number, t.transaction_type, t.amount_cents,
        coalesce(m.name, t.merchant_raw_name) merchant_name, t.occurred_at, t.status,
        t.category_id, l.key, t.description,
        (t.settled_at AT TIME ZONE 'UTC')::date settlement_date, r.id IS NOT NULL has_receipt
    FROM banking_transaction t
    JOIN banking_account a ON a.id = t.account_id
    LEFT JOIN banking_merchant m ON m.id = t.merchant_id
    LEFT JOIN banking_location l ON l.id = t.location_id
    LEFT JOIN banking_receipt r ON r.transaction_id = t.id
    WHERE t.business_id = %(business)s AND t.status <> 'RELEASED'
    ORDER BY t.occurred_at DESC, t.id DESC LIMIT %(limit)s OFFSET %(offset)s
"""
pool = AsyncConnectionPool(
    DATABASE_URL, min_size=4, max_size=8, open=False, kwargs={"autocommit": True}
)


class Transaction(BaseModel):
    """One transaction."""

    transactionId: str  # noqa: N815 - the wire's name
    accountNo: str  # noqa: N815 - the wire's name
    transactionType: str  # noqa: N815 - the wire's name
    amountCents: int  # noqa: N815 - the wire's name
    amountUsd: str  # noqa: N815 - the wire's name
    merchantName: str | None  # noqa: N815 - the wire's name
    timestamp: datetime
    pending: bool
    categoryCode: str  # noqa: N815 - the wire's name
    locationKey: str | None  # noqa: N815 - the wire's name
    description: str | None
    settlementDate: date | None  # noqa: N815 - the wire's name
    hasReceipt: bool  # noqa: N815 - the wire's name


class Found(BaseModel):
    """One page."""

    page: int
    totalCount: int  # noqa: N815 - the wire's name
    totalAmountCents: int  # noqa: N815 - the wire's name
    totalAmountUsd: str  # noqa: N815 - the wire's name
    totalInCents: int  # noqa: N815 - the wire's name
    totalInUsd: str  # noqa: N815 - the wire's name
    totalOutCents: int  # noqa: N815 - the wire's name
    totalOutUsd: str  # noqa: N815 - the wire's name
    transactions: list[Transaction]
    matchedQuery: str | None = None  # noqa: N815 - the wire's name
    totalIsLowerBound: bool = False  # noqa: N815 - the wire's name


class Tokens(TokenVerifier):
    """Looks tokens up in the same table."""

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return what a token stands for."""
        await pool.open()
        checksum = hashlib.sha256(token.encode()).hexdigest()
        async with pool.connection() as connection:
            row = await (await connection.execute(TOKEN_SQL, [checksum])).fetchone()
        if row is None or row[0] <= datetime.now(UTC):
            return None
        return AccessToken(
            token=token, client_id="bench", scopes=row[1].split(), claims={"business": row[2]}
        )


server = FastMCP("peer", auth=Tokens(required_scopes=["transactions:read"]))


@server.tool
async def svc_search_transactions(
    recordCnt: Annotated[int, Field(ge=1, le=100)] = 10,  # noqa: N803 - the wire's name
    page: Annotated[int, Field(ge=1)] = 1,
) -> Found:
    """Search transactions, newest first."""
    values = {
        "business": get_access_token().claims["business"],
        "limit": recordCnt,
        "offset": (page - 1) * recordCnt,
    }
    async with pool.connection() as connection:
        total, came, left = await (await connection.execute(SUMS, values)).fetchone()
        async with connection.cursor(row_factory=dict_row) as cursor:
            rows = await (await cursor.execute(PAGE, values)).fetchall()
    return Found(
        page=page,
        totalCount=total,
        totalAmountCents=came - left,
        totalAmountUsd=_usd(came - left),
        totalInCents=came,
        totalInUsd=_usd(came),
        totalOutCents=left,
        totalOutUsd=_usd(left),
        transactions=[_transaction(row) for row in rows],
    )


def _usd(cents: int) -> str:
    return f"{cents / 100:.2f}"


def _transaction(row: dict) -> Transaction:
    return Transaction(
        transactionId=str(row["external_id"]),
        accountNo=row["account_number"],
        transactionType=row["transaction_type"],
        amountCents=row["amount_cents"],
        amountUsd=_usd(row["amount_cents"]),
        merchantName=row["merchant_name"] or None,
        timestamp=row["occurred_at"],
        pending=row["status"] == "PENDING",
        categoryCode=row["category_id"],
        locationKey=row["key"],
        description=row["description"] or None,
        settlementDate=row["settlement_date"],
        hasReceipt=row["has_receipt"],
    )


if __name__ == "__main__":
    server.run(
        transport="http",
        host="127.0.0.1",
        port=int(PORT),
        stateless_http=True,
        json_response=True,
        show_banner=False,
        log_level="ERROR",
        uvicorn_config={"access_log": False},
    )

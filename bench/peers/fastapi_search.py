"""The search of the tools as FastAPI and SQLAlchemy would serve it: a page and the total."""

import hashlib
from datetime import UTC, date, datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Header, HTTPException, Query
from sqlalchemy import case, func, select
from sqlalchemy import text as sql
from sqlalchemy.orm import joinedload

from bench.peers.shapes import Shape
from bench.peers.sqlalchemy_engine import Database
from bench.peers.sqlalchemy_models import Transaction

TOKEN = sql("""
    SELECT t.expires, t.scope, t.user_id, o.business_id FROM oauth2_provider_accesstoken t
    JOIN banking_user u ON u.id = t.user_id AND u.is_active
    JOIN banking_businessowner o ON o.user_id = u.id
    WHERE t.token_checksum = :checksum
""")
AMOUNT = Transaction.amount_cents
SUMS = (
    func.count(),
    func.sum(case((AMOUNT > 0, AMOUNT), else_=0)),
    func.sum(case((AMOUNT < 0, -AMOUNT), else_=0)),
)
router = APIRouter()


class TransactionOut(Shape):
    """One transaction."""

    transaction_id: UUID
    account_no: str
    transaction_type: str
    amount_cents: int
    amount_usd: str
    merchant_name: str | None
    timestamp: datetime
    pending: bool
    category_code: str
    location_key: str | None
    description: str | None
    settlement_date: date | None
    has_receipt: bool


class PageOut(Shape):
    """One page."""

    page: int
    total_count: int
    total_amount_cents: int
    total_amount_usd: str
    total_in_cents: int
    total_in_usd: str
    total_out_cents: int
    total_out_usd: str
    transactions: list[TransactionOut]
    matched_query: str | None = None
    total_is_lower_bound: bool = False


async def check_token(session: Database, authorization: Annotated[str, Header()] = "") -> int:
    """Return the id of the business that the bearer token is for."""
    checksum = hashlib.sha256(authorization.removeprefix("Bearer ").encode()).hexdigest()
    row = (await session.execute(TOKEN, {"checksum": checksum})).first()
    if row is None or row.expires <= datetime.now(UTC):
        raise HTTPException(401)
    if "transactions:read" not in row.scope.split():
        raise HTTPException(403)
    return row.business_id


@router.get("/transactions")
async def search(
    session: Database,
    owned: Annotated[int, Depends(check_token)],
    page: Annotated[int, Query(ge=1)] = 1,
    size: Annotated[int, Query(ge=1, le=100)] = 10,
) -> PageOut:
    """Return a page of the business's transactions, the newest first, and how many there are."""
    wanted = [Transaction.business_id == owned, Transaction.status != "RELEASED"]
    total, came, left = (await session.execute(select(*SUMS).where(*wanted))).one()
    came, left = int(came or 0), int(left or 0)
    found = (
        select(Transaction)
        .where(*wanted)
        .options(
            joinedload(Transaction.account, innerjoin=True),
            joinedload(Transaction.merchant),
            joinedload(Transaction.location),
            joinedload(Transaction.receipt),
        )
    )
    newest = found.order_by(Transaction.occurred_at.desc(), Transaction.id.desc())
    rows = await session.scalars(newest.limit(size).offset((page - 1) * size))
    return PageOut(
        page=page,
        total_count=total,
        total_amount_cents=came - left,
        total_amount_usd=usd(came - left),
        total_in_cents=came,
        total_in_usd=usd(came),
        total_out_cents=left,
        total_out_usd=usd(left),
        transactions=[represent(row) for row in rows],
    )


def usd(cents: int) -> str:
    """Return an amount in dollars."""
    return f"{cents / 100:.2f}"


def represent(row: Transaction) -> TransactionOut:
    """Return a transaction as it is told."""
    return TransactionOut(
        transaction_id=row.external_id,
        account_no=row.account.account_number,
        transaction_type=row.transaction_type,
        amount_cents=row.amount_cents,
        amount_usd=usd(row.amount_cents),
        merchant_name=(row.merchant.name if row.merchant else row.merchant_raw_name) or None,
        timestamp=row.occurred_at,
        pending=row.status == "PENDING",
        category_code=row.category_id,
        location_key=row.location.key if row.location else None,
        description=row.description or None,
        settlement_date=row.settled_at and row.settled_at.astimezone(UTC).date(),
        has_receipt=row.receipt is not None,
    )

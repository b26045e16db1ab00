"""Telling rows: as pydantic would tell them, only faster."""

from datetime import UTC, datetime
from uuid import UUID

import orjson
import pytest

from banking.queries.search import FoundTransaction, TransactionPage
from mcp_server.texts import rendered
from mcp_server.tools import transactions

ROW = FoundTransaction(
    external_id=UUID("01910b3c-8000-7da8-a9f5-48902604915b"),
    occurred_at=datetime(2026, 3, 2, 12, 30, 15, 999_999, tzinfo=UTC),
    account_number="200000000006",
    transaction_type="PURCHASE",
    status="PENDING",
    amount_cents=-1_930,
    merchant_name="Corner Bakery",
    category_code="MEALS",
    description="Lunch",
    location_key="reno-1",
    settled_at=None,
    has_receipt=True,
)
SUMS = {"total_in_cents": 5, "total_out_cents": 1_930}


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"merchant_name": "", "location_key": None},
        {"amount_cents": 5, "status": "POSTED", "settled_at": datetime(2026, 3, 4, 23, tzinfo=UTC)},
    ],
)
def test_a_page_is_told_as_pydantic_would(changes):
    found = TransactionPage(
        page=2, total_count=11, **SUMS, transactions=[ROW._replace(**changes), ROW]
    )

    serialized = transactions.TransactionPage.of(found).as_json()

    checked = transactions.TransactionPage.model_validate(found)
    assert orjson.loads(rendered(serialized)) == checked.model_dump(mode="json", by_alias=True)


def test_an_empty_page_is_told():
    found = TransactionPage(
        page=1, total_count=0, total_in_cents=0, total_out_cents=0, transactions=[]
    )

    serialized = transactions.TransactionPage.of(found).as_json()

    assert serialized["transactions"] == []
    assert serialized["totalAmountUsd"] == "0.00"

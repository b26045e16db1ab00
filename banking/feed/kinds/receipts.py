"""Receipts of purchases."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, ClassVar

from django.db.models import Model
from pydantic import Field, StringConstraints

from banking.feed.composite import CompositeKind
from banking.feed.registry import Work, register
from banking.feed.schemas import Data, Id, Reference, Timestamp
from banking.models import Receipt, ReceiptLine, Transaction

MAX_CENTS = 2**31 - 1
Cents = Annotated[int, Field(ge=0, le=MAX_CENTS, description="US cents.")]
TransactionId = Annotated[Id, Reference("transactions")]
SUMS = "Lines, tax and tip add up to the money that the transaction took."


class ReceiptLinePart(Data):
    """A line of a receipt."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    quantity: Annotated[int, Field(gt=0, le=1_000_000)] = 1
    unit_price_cents: Cents


class ReceiptData(Data):
    """A merchant's receipt of a purchase; its PDF is made from it."""

    transaction: TransactionId
    number: Annotated[str, StringConstraints(min_length=1, max_length=40)]
    issued_at: Timestamp
    tax_cents: Cents = 0
    tip_cents: Cents = 0
    lines: Annotated[list[ReceiptLinePart], Field(min_length=1, max_length=1000)]


class ReceiptKind(CompositeKind[ReceiptData]):
    """Receipts: one of a transaction, over its amount."""

    part_models: ClassVar[Mapping[str, type[Model]]] = {"lines": ReceiptLine}

    def complete(self, works: Sequence[Work[ReceiptData]], *, at: datetime) -> None:
        keys = {work.row.transaction_id for work in works}
        rows = Transaction.objects.filter(pk__in=keys)
        amounts = dict(rows.values_list("pk", "amount_cents"))
        for work in works:
            data = work.data
            lines = sum(line.quantity * line.unit_price_cents for line in data.lines)
            total = lines + data.tax_cents + data.tip_cents
            if total != -amounts[work.row.transaction_id]:
                work.refuse(SUMS, "lines")


register(
    ReceiptKind(
        "receipts",
        ReceiptData,
        Receipt,
        shows=["svc_get_transaction_receipt", "svc_get_transaction"],
        fixed=["transaction"],
        identity=["transaction_id"],
    )
)

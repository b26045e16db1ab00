"""Receipts of purchases."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, ClassVar

from django.db.models import Model
from pydantic import Field, StringConstraints

from banking.feed import sent_files as files
from banking.feed.composite import CompositeKind
from banking.feed.lines import Line
from banking.feed.registry import Work, register
from banking.feed.schemas import Data, Id, Reference, Timestamp
from banking.models import Receipt, ReceiptFile, ReceiptLine, Transaction
from banking.services import sent_files

MAX_CENTS = 2**31 - 1
Cents = Annotated[int, Field(ge=0, le=MAX_CENTS, description="US cents.")]
TransactionId = Annotated[Id, Reference("transactions")]
SUMS = "Lines, tax and tip add up to the money that the transaction took."
NO_LINES = "A receipt has lines or a file."


class ReceiptLinePart(Data):
    """A line of a receipt."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    quantity: Annotated[int, Field(gt=0, le=1_000_000)] = 1
    unit_price_cents: Cents


class ReceiptFilePart(Data):
    """The file that came with a receipt."""

    file_name: files.FileName
    content_type: files.ContentType
    content: files.Content


class ReceiptData(Data):
    """A merchant's receipt of a purchase. Without a file, customers get a PDF of these data."""

    transaction: TransactionId
    number: Annotated[str, StringConstraints(min_length=1, max_length=40)]
    issued_at: Timestamp
    tax_cents: Cents = 0
    tip_cents: Cents = 0
    lines: Annotated[list[ReceiptLinePart], Field(max_length=1000)] = Field(
        default=[], description="Required without a file."
    )
    file: ReceiptFilePart | None = None


class ReceiptKind(CompositeKind[ReceiptData]):
    """Receipts; each transaction has at most one.

    Lines, tax and tip add up to the money that the transaction took. Without lines, tax and tip
    come to that or less.
    """

    part_models: ClassVar[Mapping[str, type[Model]]] = {"lines": ReceiptLine}
    elsewhere: ClassVar[frozenset[str]] = frozenset({"file"})

    def complete(self, works: Sequence[Work[ReceiptData]], *, at: datetime) -> None:
        keys = {work.row.transaction_id for work in works}
        rows = Transaction.objects.filter(pk__in=keys)
        amounts = dict(rows.values_list("pk", "amount_cents"))
        for work in works:
            data, paid = work.data, -amounts[work.row.transaction_id]
            added = data.tax_cents + data.tip_cents
            if not data.lines and not data.file:
                work.refuse(NO_LINES, "lines")
            elif not data.lines and added > paid:
                work.refuse(SUMS, "taxCents")
            elif data.lines and added + _sum(data.lines) != paid:
                work.refuse(SUMS, "lines")

    def save(self, works: Sequence[Work[ReceiptData]], *, at: datetime) -> None:
        super().save(works, at=at)
        good = [work for work in works if not work.faults]
        kept = _files([work.row for work in good if work.had_row])
        for work in good:
            former = kept.get(work.row.pk)
            if work.data.file:
                row = former or ReceiptFile(receipt=work.row)
                self._replace(row, work.data.file, work.line, at=at)
            elif former:
                self._delete(former)

    def remove(self, row: Receipt, *, at: datetime) -> None:
        for kept in _files([row]).values():
            self._delete(kept)
        super().remove(row, at=at)

    def represent(self, row: Receipt) -> dict[str, Any]:
        data, kept = super().represent(row), _files([row]).get(row.pk)
        if kept is None:
            return data | {"file": None}
        names = {"fileName": kept.file_name, "contentType": kept.content_type}
        return data | {"file": names | files.represent(kept)}

    def _replace(
        self, row: ReceiptFile, file: ReceiptFilePart, line: Line, *, at: datetime
    ) -> None:
        former = row.file.name
        files.set_file(row, file, line, at=at)
        row.save()
        if former:
            sent_files.delete_after_commit(ReceiptFile, former)

    def _delete(self, row: ReceiptFile) -> None:
        row.delete()
        sent_files.delete_after_commit(ReceiptFile, str(row.file.name))


def _files(rows: Sequence[Receipt]) -> dict[int, ReceiptFile]:
    """Return the files of receipts by the primary key of the receipt."""
    found = ReceiptFile.objects.filter(receipt__in=rows) if rows else ()
    return {file.receipt_id: file for file in found}


def _sum(lines: Sequence[ReceiptLinePart]) -> int:
    return sum(line.quantity * line.unit_price_cents for line in lines)


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

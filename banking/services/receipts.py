"""Store receipts of purchases, and render them as PDF documents."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db import transaction

from banking.models import Receipt, ReceiptLine, Transaction
from banking.pdf import receipts as pdf
from banking.pdf.bank import letterhead
from foundation.files import PDF, Download


class SumsDiffer(Exception):
    """Lines, tax and tip do not add up to the amount of the transaction."""


class ReceiptExists(Exception):
    """The transaction has a receipt already."""


@dataclass(frozen=True)
class Line:
    """A line of a receipt."""

    name: str
    unit_price_cents: int
    quantity: int = 1

    @property
    def amount_cents(self) -> int:
        """Return the amount of the line."""
        return self.quantity * self.unit_price_cents


@transaction.atomic
def attach_receipt(
    row: Transaction,
    lines: Sequence[Line],
    *,
    number: str,
    issued_at: datetime,
    tax_cents: int = 0,
    tip_cents: int = 0,
) -> Receipt:
    """Keep the receipt of a transaction that took money. Raises: SumsDiffer, ReceiptExists."""
    total = sum(line.amount_cents for line in lines) + tax_cents + tip_cents
    if not lines or total != -row.amount_cents:
        raise SumsDiffer(f"The receipt comes to {total} cents, {row} took {-row.amount_cents}")
    receipt, is_new = Receipt.objects.get_or_create(
        transaction=row,
        defaults={
            "number": number,
            "issued_at": issued_at,
            "tax_cents": tax_cents,
            "tip_cents": tip_cents,
        },
    )
    if not is_new:
        raise ReceiptExists(f"{row} has its receipt")
    ReceiptLine.objects.bulk_create(
        ReceiptLine(
            receipt=receipt,
            position=position,
            name=line.name,
            quantity=line.quantity,
            unit_price_cents=line.unit_price_cents,
        )
        for position, line in enumerate(lines, start=1)
    )
    return receipt


def get_paper(receipt: Receipt) -> Download:
    """Return the file that came with the receipt, or else write a PDF. Raises: NotOpenable."""
    return receipt.file.read() if hasattr(receipt, "file") else write_receipt(receipt)


def write_receipt(receipt: Receipt) -> Download:
    """Write the receipt as a PDF."""
    row = receipt.transaction
    content = pdf.render_receipt(
        pdf.CardReceipt(
            head=letterhead(),
            business_name=row.business.legal_name,
            merchant_name=row.merchant_name,
            merchant_address_lines=tuple(row.location.lines) if row.location else (),
            purchased_at=receipt.issued_at.astimezone(UTC),
            cardholder_name=row.card.cardholder_name if row.card else "",
            card_last4=row.card.last4 if row.card else "",
            category=row.category.display_name,
            reference=receipt.number,
            lines=tuple(
                pdf.ReceiptLine(line.name, line.quantity, line.amount_cents)
                for line in sorted(receipt.lines.all(), key=lambda line: line.position)
            ),
            tax_cents=receipt.tax_cents,
            tip_cents=receipt.tip_cents,
            total_cents=-row.amount_cents,
        )
    )
    return Download(PDF, f"receipt-{receipt.number}.pdf", content)

"""Receipts: what the seller wrote down of a purchase, as a paper."""

from datetime import UTC
from uuid import UUID

from banking.external_ids import parse
from banking.files import PDF, Download
from banking.models import Business, Receipt
from banking.papers import receipts as papers
from banking.papers.bank import letterhead


def get_receipt(business: Business, transaction_id: str | UUID) -> Receipt:
    """Return the receipt of a transaction by its external id. Raises: Receipt.DoesNotExist."""
    found = Receipt.objects.select_related(
        "transaction__merchant",
        "transaction__location",
        "transaction__card",
        "transaction__category",
        "transaction__business",
    ).prefetch_related("lines")
    return found.get(transaction__business=business, transaction__external_id=parse(transaction_id))


def download_receipt(receipt: Receipt) -> Download:
    """Return the receipt as a PDF."""
    row = receipt.transaction
    content = papers.render_receipt(
        papers.CardReceipt(
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
                papers.ReceiptLine(line.name, line.quantity, line.amount_cents)
                for line in sorted(receipt.lines.all(), key=lambda line: line.position)
            ),
            tax_cents=receipt.tax_cents,
            tip_cents=receipt.tip_cents,
            total_cents=-row.amount_cents,
        )
    )
    return Download(PDF, f"receipt-{receipt.number}.pdf", content)

"""Papers of receipts: the file that came with a receipt, or a PDF of its lines."""

from datetime import UTC

from banking.models import Receipt
from banking.pdf import receipts as pdf
from banking.pdf.bank import letterhead
from foundation.files import PDF, Download


def get_paper(receipt: Receipt) -> Download:
    """Return the file that came with the receipt, or else a new PDF of the receipt.

    Raises: NotOpenable, FileNotFoundError, UnreadableFile.
    """
    return receipt.file.read() if hasattr(receipt, "file") else write_receipt(receipt)


def write_receipt(receipt: Receipt) -> Download:
    """Return a PDF of the receipt's lines, tax and tip."""
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

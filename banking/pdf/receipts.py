"""The receipt of a card transaction."""

from dataclasses import dataclass
from datetime import datetime
from io import BytesIO

from banking.money import usd_text
from banking.pdf.blocks import Fact, draw_heading, draw_paragraph
from banking.pdf.page_heads import PageHead, amounts, start_document
from banking.pdf.pages import Letterhead, day_text
from banking.pdf.tables import Column, draw_table
from banking.pdf.totals import Disagreement

COLUMNS = [
    Column("Item", 70),
    Column("Quantity", 15, is_amount=True),
    Column("Amount", 24, is_amount=True),
]
NOTE = (
    "Keep this receipt for your records. Questions about the purchase are best put to the seller."
)


@dataclass(frozen=True)
class ReceiptLine:
    """A line of a receipt. Units: the amount is that of the whole quantity."""

    description: str
    quantity: int
    amount_cents: int


@dataclass(frozen=True)
class CardReceipt:
    """A purchase by card. Units: cents paid; lines, tax and tip come to the total."""

    head: Letterhead
    business_name: str
    merchant_name: str
    merchant_address_lines: tuple[str, ...]
    purchased_at: datetime  # in the time zone in which it is shown
    cardholder_name: str
    card_last4: str
    category: str
    reference: str
    lines: tuple[ReceiptLine, ...]  # empty if the seller sent none
    tax_cents: int
    tip_cents: int
    total_cents: int


def render_receipt(receipt: CardReceipt) -> bytes:
    """Return the receipt as a PDF. Raises: Disagreement if lines, tax and tip are not the total."""
    lines, bought = _lines(receipt)
    target = BytesIO()
    page_head = _page_head(receipt, bought)
    document = start_document(target, page_head, head=receipt.head, made_at=receipt.purchased_at)
    draw_heading(document, "Purchase")
    rows = [(line.description, f"{line.quantity:,}", usd_text(line.amount_cents)) for line in lines]
    rows += [("Tax", "", usd_text(receipt.tax_cents)), ("Tip", "", usd_text(receipt.tip_cents))]
    draw_table(document, COLUMNS, rows, total=("Total", "", usd_text(receipt.total_cents)))
    draw_paragraph(document, NOTE, size=8, muted=True)
    document.finish()
    return target.getvalue()


def _lines(receipt: CardReceipt) -> tuple[tuple[ReceiptLine, ...], int]:
    """Return the lines and their sum; one line for the whole purchase replaces missing lines.

    Raises: Disagreement, if lines, tax and tip are not the total.
    """
    bought = receipt.total_cents - receipt.tax_cents - receipt.tip_cents
    lines = receipt.lines or (ReceiptLine("Purchase", 1, bought),)
    if sum(line.amount_cents for line in lines) != bought:
        raise Disagreement("The receipt's lines do not come to its total")
    return lines, bought


def _page_head(receipt: CardReceipt, bought: int) -> PageHead:
    return PageHead(
        title="Receipt",
        about=f"{receipt.merchant_name}, {day_text(receipt.purchased_at)}",
        subtitle=receipt.merchant_name,
        subject=receipt.reference,
        addressee=[receipt.merchant_name, *receipt.merchant_address_lines],
        facts=_facts(receipt),
        figures=amounts(
            {
                "Purchase": bought,
                "Tax": receipt.tax_cents,
                "Tip": receipt.tip_cents,
                "Total": receipt.total_cents,
            }
        ),
    )


def _facts(receipt: CardReceipt) -> list[Fact]:
    at = receipt.purchased_at
    return [
        Fact("Date", day_text(at)),
        Fact("Time", f"{at:%H:%M %Z}".strip()),
        Fact("Paid by", receipt.business_name),
        Fact("Card", f"•••• {receipt.card_last4}, {receipt.cardholder_name}"),
        Fact("Category", receipt.category),
        Fact("Reference", receipt.reference),
    ]

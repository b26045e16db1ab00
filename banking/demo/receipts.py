"""Receipts of demo purchases; lines, tax and tip add up to the paid amount."""

import base64
from io import BytesIO
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from banking.demo.book import Book
from banking.demo.cards import Wallet
from banking.demo.lines import Lines
from banking.demo.profiles import Shop
from banking.models import Receipt, Transaction
from banking.money import usd_text

KEPT_PERCENT = 40
TAX_PERCENT, TIP_PERCENT = 7, 15
WIDTH, MARGIN, LINE_HEIGHT = 460, 36, 34  # of the picture, in pixels
PAPER, INK = (254, 253, 249), (44, 44, 48)


def add_receipts(lines: Lines, book: Book, wallet: Wallet) -> None:
    """Add the lines of receipts of KEPT_PERCENT of the card purchases, and of the latest one.

    The receipt of the latest purchase has a picture as its file.
    """
    for row, shop in wallet.bought:
        is_latest = row is wallet.bought[-1][0]
        if is_latest or book.dice.happens(KEPT_PERCENT):
            receipt = _receipt(book, row, shop)
            parts = _parts(book, receipt, -row.amount_cents, shop)
            file = _picture(receipt, parts, shop) if is_latest else None
            lines.add("receipts", receipt, lines=parts, file=file)


def _receipt(book: Book, row: Transaction, shop: Shop) -> Receipt:
    paid = -row.amount_cents
    is_meal = shop.category == "MEALS"
    return Receipt(
        transaction=row,
        number=book.dice.digits(8),
        issued_at=row.occurred_at,
        tax_cents=paid * TAX_PERCENT // (100 + TAX_PERCENT) if shop.place else 0,
        tip_cents=paid * TIP_PERCENT // 130 if is_meal else 0,
    )


def _parts(book: Book, receipt: Receipt, paid: int, shop: Shop) -> list[dict[str, Any]]:
    """Return up to three lines that come to the paid cents less tax and tip."""
    left = paid - receipt.tax_cents - receipt.tip_cents
    names = book.dice.sample(shop.goods, k=book.dice.randint(1, min(3, len(shop.goods))))
    parts = []
    for position, name in enumerate(names, start=1):
        is_last = position == len(names)
        quantity = 1 if is_last else book.dice.randint(1, 3)
        unit_price = left if is_last else left * book.dice.randint(10, 30) // 100 // quantity
        left -= quantity * unit_price
        parts.append({"name": name, "quantity": quantity, "unitPriceCents": unit_price})
    return parts


def _picture(receipt: Receipt, parts: list[dict[str, Any]], shop: Shop) -> dict[str, str]:
    """Return the file of a line: a picture of the seller's receipt."""
    sums = [(f"{part['quantity']} x {part['name']}", _amount(part)) for part in parts]
    sums += [("Tax", receipt.tax_cents), ("Tip", receipt.tip_cents)]
    rows = [(shop.name, ""), (f"{receipt.issued_at:%B %d, %Y}  No. {receipt.number}", "")]
    rows += [(text, usd_text(cents)) for text, cents in sums if cents]
    rows += [("Paid by card", usd_text(-receipt.transaction.amount_cents))]
    return {
        "fileName": f"receipt-{receipt.number}.png",
        "contentType": "image/png",
        "content": base64.b64encode(_draw(rows)).decode(),
    }


def _amount(part: dict[str, Any]) -> int:
    return int(part["quantity"] * part["unitPriceCents"])


def _draw(rows: list[tuple[str, str]]) -> bytes:
    """Return a PNG with the pairs of text and amount below each other."""
    picture = Image.new("RGB", (WIDTH, 2 * MARGIN + LINE_HEIGHT * len(rows)), PAPER)
    pen, font = ImageDraw.Draw(picture), ImageFont.load_default(20)
    for number, (text, amount) in enumerate(rows):
        top = MARGIN + LINE_HEIGHT * number
        pen.text((MARGIN, top), text, fill=INK, font=font)
        pen.text((WIDTH - MARGIN, top), amount, fill=INK, font=font, anchor="ra")
    target = BytesIO()
    picture.save(target, "PNG", optimize=True)
    return target.getvalue()

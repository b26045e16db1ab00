"""Receipts of demo purchases; lines, tax and tip add up to the paid amount."""

from typing import Any

from banking.demo.book import Book
from banking.demo.cards import Wallet
from banking.demo.lines import Lines
from banking.demo.profiles import Shop
from banking.models import Receipt, Transaction

KEPT_PERCENT = 40
TAX_PERCENT, TIP_PERCENT = 7, 15


def add_receipts(lines: Lines, book: Book, wallet: Wallet) -> None:
    """Add the lines of receipts: of KEPT_PERCENT of the purchases, and always of the latest."""
    for row, shop in wallet.bought:
        is_latest = row is wallet.bought[-1][0]
        if is_latest or book.dice.happens(KEPT_PERCENT):
            receipt = _receipt(book, row, shop)
            lines.add("receipts", receipt, lines=_parts(book, receipt, -row.amount_cents, shop))


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
    """Return up to three lines; the last line is the rest of the amount."""
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

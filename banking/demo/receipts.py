"""Receipts of demo purchases; lines, tax and tip add up to the paid amount."""

from banking.demo.book import Book
from banking.demo.cards import Wallet
from banking.demo.profiles import Shop
from banking.models import Receipt, ReceiptLine, Transaction

KEPT_PERCENT = 40
TAX_PERCENT, TIP_PERCENT = 7, 15


def write_receipts(book: Book, wallet: Wallet) -> None:
    """Save receipts of KEPT_PERCENT of the purchases, and of the latest purchase always."""
    receipts, lines = [], []
    for row, shop in wallet.bought:
        is_latest = row is wallet.bought[-1][0]
        if is_latest or book.dice.happens(KEPT_PERCENT):
            receipts.append(_receipt(book, row, shop))
            lines += _lines(book, receipts[-1], -row.amount_cents, shop)
    Receipt.objects.bulk_create(receipts, batch_size=1000)
    ReceiptLine.objects.bulk_create(lines, batch_size=1000)


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


def _lines(book: Book, receipt: Receipt, paid: int, shop: Shop) -> list[ReceiptLine]:
    """Return up to three lines; the last line is the rest of the amount."""
    left = paid - receipt.tax_cents - receipt.tip_cents
    names = book.dice.sample(shop.goods, k=book.dice.randint(1, min(3, len(shop.goods))))
    lines = []
    for position, name in enumerate(names, start=1):
        is_last = position == len(names)
        quantity = 1 if is_last else book.dice.randint(1, 3)
        unit_price = left if is_last else left * book.dice.randint(10, 30) // 100 // quantity
        left -= quantity * unit_price
        lines.append(
            ReceiptLine(
                receipt=receipt,
                position=position,
                name=name,
                quantity=quantity,
                unit_price_cents=unit_price,
            )
        )
    return lines

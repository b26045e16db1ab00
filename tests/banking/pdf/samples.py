"""Papers to render in tests: invented businesses, totals worked out from the lines."""

from datetime import UTC, date, datetime, timedelta
from io import BytesIO
from itertools import groupby

from banking.choices import LetterVariant
from banking.pdf.expenses import (
    ExpenseLine,
    ExpenseReport,
    ExpenseTotal,
    MonthTotal,
    write_expense_report,
)
from banking.pdf.letters import AccountLetter, Intermediary
from banking.pdf.pages import Letterhead
from banking.pdf.receipts import CardReceipt, ReceiptLine
from banking.pdf.statements import AccountStatement, StatementLine
from banking.pdf.tax_statements import CategoryExpense, TaxLine, TaxStatement

MADE_AT = datetime(2026, 6, 1, 6, tzinfo=UTC)
HEAD = Letterhead(
    name="Vestibule Bank (sandbox)",
    address_lines=("100 Harbor Street", "Portland, OR 97204"),
    phone="(503) 555-0100",
    website="www.vestibule.example",
    routing_number="123006800",
    swift="VSTBUS66XXX",
)
BUSINESS = {
    "head": HEAD,
    "business_name": "Analytical Engines LLC",
    "address_lines": ("1 Mill Road", "Suite 400", "Portland, OR 97209"),
    "created_at": MADE_AT,
}
HOSTILE = [
    "\x00\x07\x1b[31m\n\ttabs and\r\nbreaks",
    "\u202egnp.exe\u2066\u200f\u200b",
    "x" * 10_000,
    "many words " * 1_000,
    "🙂👩‍👩‍👧 銀行 \ud800",
    "back\\slash (paren ) EMC /P <</MCID 0>> BDC",
]


def statement_lines(count, *, opening=1_250_000):
    """Return lines that go up and down, every eleventh a fee."""
    lines, balance = [], opening
    for index in range(count):
        is_fee = index % 11 == 10
        amount = -1_500 if is_fee else (index * 7919) % 90_000 - 50_000
        balance += amount
        day = date(2026, 5, 1) + timedelta(days=index * 31 // count)
        lines.append(
            StatementLine(day, f"Copper Street Hardware {index}", "Tools", amount, balance, is_fee)
        )
    return lines


def make_statement(lines=(), *, opening=1_250_000, **changes):
    """Return a statement of `lines` whose totals are theirs."""
    plain = [line.amount_cents for line in lines if not line.is_fee]
    values = BUSINESS | {
        "account_name": "Business checking",
        "account_last4": "4821",
        "start_date": date(2026, 5, 1),
        "end_date": date(2026, 5, 31),
        "opening_balance_cents": opening,
        "money_in_cents": sum(amount for amount in plain if amount > 0),
        "money_out_cents": sum(amount for amount in plain if amount <= 0),
        "fees_cents": sum(line.amount_cents for line in lines if line.is_fee),
        "closing_balance_cents": opening + sum(line.amount_cents for line in lines),
        "lines": iter(lines),
    }
    return AccountStatement(**values | changes)


def expense_lines(count, *, categories=("Advertising", "Meals", "Software")):
    """Return lines by category, every ninth a refund."""
    return [
        ExpenseLine(
            posted_date=date(2026, 1, 1) + timedelta(days=index * 150 // count),
            merchant=f"Blue Kettle Coffee {index % 5}",
            description="Card purchase",
            category=category,
            card_last4="4821" if index % 2 else "",
            amount_cents=(index * 7919) % 40_000 * (-1 if index % 9 == 8 else 1),
        )
        for category in categories
        for index in range(count // len(categories))
    ]


def render_expense_report(report, lines=None):
    """Return a report as the bytes of a PDF."""
    target = BytesIO()
    write_expense_report(report, target, lines=lines)
    return target.getvalue()


def make_expense_report(lines, **changes):
    """Return a report whose totals are those of `lines`."""
    months = {line.posted_date.replace(day=1) for line in lines}
    values = BUSINESS | {
        "start_date": date(2026, 1, 1),
        "end_date": date(2026, 5, 31),
        "categories": totals(lines, lambda line: line.category),
        "months": tuple(
            MonthTotal(
                month,
                sum(x.amount_cents for x in lines if x.posted_date.replace(day=1) == month),
            )
            for month in sorted(months)
        ),
        "merchants": totals(lines, lambda line: line.merchant),
    }
    return ExpenseReport(**values | changes)


def make_letter(variant=LetterVariant.GENERAL, **changes):
    values = {
        "head": HEAD,
        "variant": variant,
        "account_holder": BUSINESS["business_name"],
        "address_lines": BUSINESS["address_lines"],
        "account_name": "Business checking",
        "account_number": "402178814821",
        "status": "Open",
        "opened_date": date(2024, 3, 14),
        "reference": "LTR-7Q4M",
        "intermediary": Intermediary(
            "Harbor Correspondent Bank (sandbox)", "HCBKUS33XXX", ("40 Pier Street", "New York, NY")
        ),
        "issued_at": MADE_AT,
    }
    return AccountLetter(**values | changes)


def make_receipt(**changes):
    values = {
        "head": HEAD,
        "business_name": BUSINESS["business_name"],
        "merchant_name": "Copper Street Hardware",
        "merchant_address_lines": ("88 Copper Street", "Portland, OR 97209"),
        "purchased_at": datetime(2026, 5, 9, 21, 32, tzinfo=UTC),
        "cardholder_name": "Ana Diaz",
        "card_last4": "4821",
        "category": "Office supplies",
        "reference": "TXN-7Q4M",
        "lines": (
            ReceiptLine("Cordless drill", 1, 12_900),
            ReceiptLine("Oak board", 6, 8_340),
        ),
        "tax_cents": 1_699,
        "tip_cents": 0,
        "total_cents": 22_939,
    }
    return CardReceipt(**values | changes)


def make_tax_statement(**changes):
    values = BUSINESS | {
        "entity_name": "Limited liability company",
        "tax_year": 2026,
        "quarter": 2,
        "start_date": date(2026, 4, 1),
        "end_date": date(2026, 6, 30),
        "income_cents": 6_215_000,
        "expenses": (
            CategoryExpense("Contract labor", 9, 1_240_000, 1_240_000),
            CategoryExpense("Meals", 3, 750_000, 375_000),
        ),
        "set_aside_opening_cents": 412_000,
        "set_aside_in_cents": 1_240_000,
        "set_aside_out_cents": -412_000,
        "set_aside_balance_cents": 1_240_000,
        "taxes": (TaxLine("Federal income tax", 412_311), TaxLine("State tax", 198_400)),
        "sources": ("Revenue Procedure 2025-32, effective January 1, 2026",),
        "notes": ("OR: Local taxes are left out.",),
    }
    return TaxStatement(**values | changes)


def totals(lines, key):
    return tuple(
        ExpenseTotal(name, len(group), sum(line.amount_cents for line in group))
        for name, found in groupby(sorted(lines, key=key), key=key)
        for group in [list(found)]
    )

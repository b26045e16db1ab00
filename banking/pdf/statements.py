"""The monthly statement of an account."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from io import BytesIO

from banking.money import usd_text
from banking.pdf.blocks import Fact, draw_heading, draw_paragraph
from banking.pdf.page_heads import PageHead, amounts, start_document
from banking.pdf.pages import Letterhead, PdfDocument, day_text, period_text
from banking.pdf.tables import Column, draw_table
from banking.pdf.totals import Disagreement

COLUMNS = [
    Column("Date", 15),
    Column("Description", 40),
    Column("Category", 22),
    Column("Amount", 17, is_amount=True, is_tinted=True),
    Column("Balance", 17, is_amount=True),
]
NOTE = (
    "Please look through this statement and tell us about any error within 60 days of the closing "
    "date: call {phone} or write to the address above. Money in is shown without a sign, money out "
    "and fees with a minus."
)


@dataclass(frozen=True)
class StatementLine:
    """One posted transaction. Units: money into the business is positive."""

    posted_date: date
    description: str
    category: str
    amount_cents: int
    balance_cents: int
    is_fee: bool = False


@dataclass(frozen=True)
class AccountStatement:
    """One month of one account; opening, in, out and fees come to the closing balance.

    Units: money out and fees are negative.
    """

    head: Letterhead
    business_name: str
    address_lines: tuple[str, ...]
    account_name: str
    account_last4: str
    start_date: date
    end_date: date
    opening_balance_cents: int
    money_in_cents: int
    money_out_cents: int
    fees_cents: int
    closing_balance_cents: int
    lines: Iterable[StatementLine]  # oldest first; read once
    created_at: datetime


def render_statement(statement: AccountStatement) -> bytes:
    """Return the statement as a PDF. Raises: Disagreement if lines and totals do not add up."""
    target = BytesIO()
    document = start_document(
        target, _page_head(statement), head=statement.head, made_at=statement.created_at
    )
    _draw_lines(document, statement)
    draw_paragraph(document, NOTE.format(phone=statement.head.phone), size=8, muted=True)
    document.finish()
    return target.getvalue()


def _page_head(statement: AccountStatement) -> PageHead:
    account = f"{statement.account_name} •••• {statement.account_last4}"
    period = period_text(statement.start_date, statement.end_date)
    return PageHead(
        title="Account statement",
        about=period,
        subject=account,
        addressee=[statement.business_name, *statement.address_lines],
        facts=[
            Fact("Account", account),
            Fact("Statement period", period),
            Fact("Issued", day_text(statement.created_at)),
        ],
        figures=amounts(
            {
                "Opening balance": statement.opening_balance_cents,
                "Money in": statement.money_in_cents,
                "Money out": statement.money_out_cents,
                "Fees": statement.fees_cents,
                "Closing balance": statement.closing_balance_cents,
            }
        ),
    )


def _draw_lines(document: PdfDocument, statement: AccountStatement) -> None:
    draw_heading(document, "Activity")
    closing = statement.closing_balance_cents
    change = closing - statement.opening_balance_cents
    total = ("Change and closing balance", "", "", usd_text(change), usd_text(closing))
    draw_table(
        document, COLUMNS, _rows(statement), total=total, empty="No activity in this period."
    )


def _rows(statement: AccountStatement) -> Iterator[tuple[str, ...]]:
    """Yield the lines as texts, and check them against the balances and totals.

    Raises: Disagreement, at the first wrong balance or after the last line.
    """
    balance, sums = statement.opening_balance_cents, {"in": 0, "out": 0, "fees": 0}
    for line in statement.lines:
        balance += line.amount_cents
        if balance != line.balance_cents:
            raise Disagreement("A line's balance is not the one before it and its amount")
        sums["fees" if line.is_fee else "in" if line.amount_cents > 0 else "out"] += (
            line.amount_cents
        )
        yield (
            day_text(line.posted_date),
            line.description,
            line.category,
            usd_text(line.amount_cents),
            usd_text(line.balance_cents),
        )
    wanted = (statement.money_in_cents, statement.money_out_cents, statement.fees_cents)
    if (*sums.values(), balance) != (*wanted, statement.closing_balance_cents):
        raise Disagreement("The statement's lines do not come to its totals")

"""The tax statement of a quarter or a year: income, expenses, set-asides, taxes due."""

from dataclasses import dataclass
from datetime import date, datetime
from io import BytesIO

from banking.choices import FULL_YEAR
from banking.money import usd_text
from banking.pdf.blocks import Fact, draw_heading, draw_paragraph
from banking.pdf.charts import SHARE_ROW, Bar, draw_shares, largest
from banking.pdf.page_heads import PageHead, amounts, start_document
from banking.pdf.pages import Letterhead, PdfDocument, day_text, period_text
from banking.pdf.tables import Column, draw_table
from banking.pdf.totals import Disagreement

EXPENSE_COLUMNS = [
    Column("Category", 47),
    Column("Transactions", 18, is_amount=True),
    Column("Spent", 22, is_amount=True),
    Column("Deductible", 22, is_amount=True),
]
AMOUNT_COLUMNS = [Column("Item", 87), Column("Amount", 22, is_amount=True)]
DEDUCTIBLES = (
    "Profit is income less expenses of the period's days; a purchase counts on the day it was "
    "made, even if it settled later. The tax is estimated on income less deductible expenses: "
    "half of the expenses on meals is deductible (26 U.S.C. 274(n)(1)), every other in full."
)
NOTE = (
    "The tax is an estimate from the account's records and the sources named here. It is no tax "
    "advice and no return; other income, credits and payments are not known to the bank."
)


@dataclass(frozen=True)
class CategoryExpense:
    """Expense of one category. Units: cents spent, and the cents of them that are deductible."""

    name: str
    count: int
    amount_cents: int
    deductible_cents: int


@dataclass(frozen=True)
class TaxLine:
    """One part of the estimated tax, for example the tax on self-employment."""

    label: str
    amount_cents: int


@dataclass(frozen=True)
class TaxStatement:
    """One quarter (1 to 4) or a full year (5) of one business.

    Units: cents. `set_aside_out_cents` is negative: opening, in and out add up to the balance.
    """

    head: Letterhead
    business_name: str
    address_lines: tuple[str, ...]
    entity_name: str  # what it is taxed as, for example `Limited liability company`
    tax_year: int
    quarter: int
    start_date: date
    end_date: date
    income_cents: int
    expenses: tuple[CategoryExpense, ...]
    set_aside_opening_cents: int
    set_aside_in_cents: int
    set_aside_out_cents: int
    set_aside_balance_cents: int
    taxes: tuple[TaxLine, ...]
    sources: tuple[str, ...]
    notes: tuple[str, ...]
    created_at: datetime

    @property
    def expense_cents(self) -> int:
        return sum(category.amount_cents for category in self.expenses)

    @property
    def deductible_cents(self) -> int:
        return sum(category.deductible_cents for category in self.expenses)

    @property
    def profit_cents(self) -> int:
        return self.income_cents - self.expense_cents

    @property
    def estimated_tax_cents(self) -> int:
        return sum(tax.amount_cents for tax in self.taxes)

    @property
    def period_name(self) -> str:
        whole = self.quarter == FULL_YEAR
        return f"Full year {self.tax_year}" if whole else f"Quarter {self.quarter}, {self.tax_year}"


def render_tax_statement(statement: TaxStatement) -> bytes:
    """Return the tax statement as a PDF. Raises: Disagreement if set-asides do not add up."""
    changed = statement.set_aside_in_cents + statement.set_aside_out_cents
    if statement.set_aside_opening_cents + changed != statement.set_aside_balance_cents:
        raise Disagreement("What went in and out does not come to the balance set aside")
    target = BytesIO()
    document = start_document(
        target, _page_head(statement), head=statement.head, made_at=statement.created_at
    )
    _draw_expenses(document, statement)
    _draw_set_aside(document, statement)
    _draw_estimate(document, statement)
    _draw_sources(document, statement)
    document.finish()
    return target.getvalue()


def _page_head(statement: TaxStatement) -> PageHead:
    period = period_text(statement.start_date, statement.end_date)
    return PageHead(
        title="Tax statement",
        about=statement.period_name,
        subtitle=f"{statement.period_name} · {period}",
        subject=statement.business_name,
        addressee=[statement.business_name, *statement.address_lines],
        facts=[
            Fact("Taxed as", statement.entity_name),
            Fact("Tax year", str(statement.tax_year)),
            Fact("Period", period),
            Fact("Issued", day_text(statement.created_at)),
        ],
        figures=amounts(
            {
                "Income": statement.income_cents,
                "Expenses": statement.expense_cents,
                "Profit": statement.profit_cents,
                "Set aside": statement.set_aside_balance_cents,
                "Estimated tax": statement.estimated_tax_cents,
            }
        ),
    )


def _draw_expenses(document: PdfDocument, statement: TaxStatement) -> None:
    bars = largest([Bar(each.name, each.amount_cents) for each in statement.expenses])
    draw_heading(document, "Expenses", keep=SHARE_ROW * len(bars) + 20)
    if bars:
        draw_shares(document, "Bar chart of expenses by category", bars)
    rows = [
        (each.name, f"{each.count:,}", usd_text(each.amount_cents), usd_text(each.deductible_cents))
        for each in statement.expenses
    ]
    count = sum(each.count for each in statement.expenses)
    spent, deductible = usd_text(statement.expense_cents), usd_text(statement.deductible_cents)
    total = ("Total", f"{count:,}", spent, deductible)
    draw_table(document, EXPENSE_COLUMNS, rows, total=total, empty="No expenses in this period.")


def _draw_set_aside(document: PdfDocument, statement: TaxStatement) -> None:
    draw_heading(document, "Tax set aside", keep=100)
    rows = [
        (f"Balance before {day_text(statement.start_date)}", statement.set_aside_opening_cents),
        ("Moved to the tax bucket", statement.set_aside_in_cents),
        ("Moved out of the tax bucket", statement.set_aside_out_cents),
    ]
    balance = f"Balance on {day_text(statement.end_date)}"
    _draw_amounts(document, rows, (balance, statement.set_aside_balance_cents))


def _draw_estimate(document: PdfDocument, statement: TaxStatement) -> None:
    draw_heading(document, "Estimated tax", keep=100)
    rows = [(tax.label, tax.amount_cents) for tax in statement.taxes]
    _draw_amounts(document, rows, ("Estimated tax", statement.estimated_tax_cents))


def _draw_amounts(
    document: PdfDocument, rows: list[tuple[str, int]], total: tuple[str, int]
) -> None:
    shown = [(label, usd_text(cents)) for label, cents in rows]
    label, cents = total
    empty = "No tax is estimated."
    draw_table(document, AMOUNT_COLUMNS, shown, total=(label, usd_text(cents)), empty=empty)


def _draw_sources(document: PdfDocument, statement: TaxStatement) -> None:
    draw_heading(document, "Sources and notes", keep=40)
    for text in (*statement.sources, DEDUCTIBLES, *statement.notes):
        draw_paragraph(document, text, size=8.5)
    draw_paragraph(document, NOTE, size=8.5, muted=True)

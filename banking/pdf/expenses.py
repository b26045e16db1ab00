"""The expense report: a summary with charts, or every line by category."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from itertools import groupby
from typing import BinaryIO

from banking.money import usd_text
from banking.pdf.blocks import Fact, draw_heading, draw_paragraph
from banking.pdf.charts import SHARE_ROW, Bar, draw_bars, draw_shares, largest
from banking.pdf.page_heads import PageHead, start_document
from banking.pdf.pages import Letterhead, PdfDocument, day_text, period_text
from banking.pdf.tables import Column, draw_table
from banking.pdf.totals import Disagreement

LINE_COLUMNS = [
    Column("Date", 14),
    Column("Merchant", 34),
    Column("Description", 36),
    Column("Card", 9),
    Column("Amount", 17, is_amount=True),
]
TOTAL_COLUMNS = [
    Column("Category", 55),
    Column("Transactions", 18, is_amount=True),
    Column("Share", 14, is_amount=True),
    Column("Amount", 22, is_amount=True),
]
MERCHANT_COLUMNS = [
    Column("Merchant", 69),
    Column("Transactions", 18, is_amount=True),
    Column("Amount", 22, is_amount=True),
]


@dataclass(frozen=True)
class ExpenseTotal:
    """The expenses of a category or a merchant. Units: cents spent, refunds negative."""

    name: str
    count: int
    amount_cents: int


@dataclass(frozen=True)
class MonthTotal:
    """The expenses of a month; `month` is its first day. Units: cents spent."""

    month: date
    amount_cents: int


@dataclass(frozen=True)
class ExpenseLine:
    """One expense. Units: cents spent; a refund is negative."""

    posted_date: date
    merchant: str
    description: str
    category: str
    card_last4: str  # empty where no card paid
    amount_cents: int


@dataclass(frozen=True)
class ExpenseReport:
    """The expenses of a business in a period; categories and months have the same total."""

    head: Letterhead
    business_name: str
    address_lines: tuple[str, ...]
    start_date: date
    end_date: date
    categories: tuple[ExpenseTotal, ...]  # in the order in which they are shown
    months: tuple[MonthTotal, ...]  # oldest first
    merchants: tuple[ExpenseTotal, ...]  # the top ones, largest first
    created_at: datetime

    @property
    def total_cents(self) -> int:
        return sum(category.amount_cents for category in self.categories)

    @property
    def count(self) -> int:
        return sum(category.count for category in self.categories)


def write_expense_report(
    report: ExpenseReport, target: BinaryIO, *, lines: Iterable[ExpenseLine] | None = None
) -> None:
    """Write the report as a PDF to `target`; with `lines` it is the detailed report.

    Shape: lines are read once; they are grouped by category in the order of the report's
    categories, oldest first in each. Raises: Disagreement, if lines and totals do not add up;
    `target` may then have a part of the file.
    """
    if report.total_cents != sum(month.amount_cents for month in report.months):
        raise Disagreement("The report's categories and months come to different totals")
    title = "Expense report" if lines is None else "Detailed expense report"
    document = start_document(
        target, _page_head(report, title), head=report.head, made_at=report.created_at
    )
    _draw_months(document, report)
    _draw_categories(document, report)
    if lines is None:
        _draw_merchants(document, report)
    else:
        _draw_lines(document, report, lines)
    draw_paragraph(
        document, "Amounts are what was spent; refunds have a minus.", size=8, muted=True
    )
    document.finish()


def _page_head(report: ExpenseReport, title: str) -> PageHead:
    period = period_text(report.start_date, report.end_date)
    months = len(report.months) or 1
    return PageHead(
        title=title,
        about=period,
        subject=report.business_name,
        addressee=[report.business_name, *report.address_lines],
        facts=[Fact("Period", period), Fact("Issued", day_text(report.created_at))],
        figures=[
            Fact("Transactions", f"{report.count:,}"),
            Fact("Categories", f"{len(report.categories):,}"),
            Fact("Average per month", usd_text(round(report.total_cents / months))),
            Fact("Total spent", usd_text(report.total_cents)),
        ],
    )


def _draw_months(document: PdfDocument, report: ExpenseReport) -> None:
    if report.months:
        draw_heading(document, "By month", keep=160)
        bars = [Bar(f"{each.month:%b %Y}", each.amount_cents) for each in report.months]
        draw_bars(document, "Bar chart of what was spent by month", bars)


def _draw_categories(document: PdfDocument, report: ExpenseReport) -> None:
    bars = largest([Bar(each.name, each.amount_cents) for each in report.categories])
    draw_heading(document, "By category", keep=SHARE_ROW * len(bars) + 20)
    if bars:
        draw_shares(document, "Bar chart of what was spent by category", bars)
    rows = [
        (each.name, f"{each.count:,}", _share(each, report), usd_text(each.amount_cents))
        for each in report.categories
    ]
    total = ("Total", f"{report.count:,}", "", usd_text(report.total_cents))
    draw_table(document, TOTAL_COLUMNS, rows, total=total, empty="No expenses in this period.")


def _share(category: ExpenseTotal, report: ExpenseReport) -> str:
    percent = round(category.amount_cents * 100 / (report.total_cents or 1), 1)
    return f"{percent + 0.0:.1f} %"  # no minus before zero


def _draw_merchants(document: PdfDocument, report: ExpenseReport) -> None:
    draw_heading(document, "Top merchants")
    rows = [
        (each.name, f"{each.count:,}", usd_text(each.amount_cents)) for each in report.merchants
    ]
    draw_table(document, MERCHANT_COLUMNS, rows, empty="No expenses in this period.")


def _draw_lines(document: PdfDocument, report: ExpenseReport, lines: Iterable[ExpenseLine]) -> None:
    """Draw a table per category, each with its subtotal. Raises: Disagreement."""
    groups = groupby(lines, key=lambda line: line.category)
    for category in report.categories:
        name, group = next(groups, ("", iter(())))
        if name != category.name:
            raise Disagreement(f"The lines of {category.name} are missing or out of order")
        draw_heading(document, category.name, keep=80)
        subtotal = usd_text(category.amount_cents)
        counted = "1 transaction" if category.count == 1 else f"{category.count:,} transactions"
        total = (f"{category.name}, {counted}", "", "", "", subtotal)
        draw_table(document, LINE_COLUMNS, _rows(category, group), total=total)
    if next(groups, None):
        raise Disagreement("There are lines of a category that the report does not have")


def _rows(category: ExpenseTotal, lines: Iterable[ExpenseLine]) -> Iterator[tuple[str, ...]]:
    count = spent = 0
    for line in lines:
        count, spent = count + 1, spent + line.amount_cents
        card = f"•{line.card_last4}" if line.card_last4 else ""
        day, amount = day_text(line.posted_date), usd_text(line.amount_cents)
        yield day, line.merchant, line.description, card, amount
    if (count, spent) != (category.count, category.amount_cents):
        raise Disagreement(f"The lines of {category.name} do not come to its subtotal")

"""Expense reports: what a business spent in a period, as a paper."""

from datetime import UTC, datetime
from io import BytesIO

from banking.files import PDF, Download
from banking.models import Business
from banking.papers import expenses as papers
from banking.papers.bank import letterhead
from banking.queries.addresses import mailing_lines
from banking.queries.expenses import Period, get_expenses, list_expenses
from banking.snapshots import snapshot


def write_expense_report(
    business: Business, period: Period, *, at: datetime, is_detailed: bool = False
) -> Download:
    """Write the report of a period as a PDF, with every expense if it `is_detailed`.

    Issued on the day of `at`: the same records give the same bytes all day.
    """
    target, day = BytesIO(), at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    with snapshot():
        report = _compose(business, period, at=day)
        lines = list_expenses(business, period, report.categories) if is_detailed else None
        papers.write_expense_report(report, target, lines=lines)
    kind = "detailed-expenses" if is_detailed else "expenses"
    return Download(PDF, f"{kind}-{period.first}-{period.last}.pdf", target.getvalue())


def _compose(business: Business, period: Period, *, at: datetime) -> papers.ExpenseReport:
    expenses = get_expenses(business, period)
    return papers.ExpenseReport(
        head=letterhead(),
        business_name=business.legal_name,
        address_lines=mailing_lines(business.pk),
        start_date=period.first,
        end_date=period.last,
        categories=expenses.categories,
        months=expenses.months,
        merchants=expenses.merchants,
        created_at=at,
    )

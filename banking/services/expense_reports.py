"""Expense reports of a period as PDF documents."""

import hashlib
import json
from datetime import UTC, date, datetime, timedelta
from io import BytesIO

from banking.choices import JobStatus
from banking.models import Business, Job, User
from banking.pdf import expenses as pdf
from banking.pdf.bank import letterhead
from banking.queries.addresses import mailing_lines
from banking.queries.expenses import Period, get_expenses, list_expenses
from banking.services import jobs
from foundation.database.snapshots import snapshot
from foundation.files import PDF, Download
from foundation.jobs.registry import JobContext

KIND = "expense_report"
FRESH = timedelta(minutes=15)  # how long a report that nobody collected is given out


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
        pdf.write_expense_report(report, target, lines=lines)
    kind = "detailed-expenses" if is_detailed else "expenses"
    return Download(PDF, f"{kind}-{period.first}-{period.last}.pdf", target.getvalue())


def request_expense_report(
    business: Business, period: Period, *, by: User, is_detailed: bool, at: datetime
) -> Job:
    """Have a worker write a report, and return the job.

    A repeated request of the user returns the same job: while it is open, and for the time FRESH
    after it was done, unless its file was collected.
    """
    arguments = {
        "business": str(business.external_id),
        "first": period.first.isoformat(),
        "last": period.last.isoformat(),
        "is_detailed": is_detailed,
    }
    wanted = json.dumps([by.pk, arguments])
    key = hashlib.sha256(wanted.encode()).hexdigest()
    written = Job.objects.filter(kind=KIND, key=key, status=JobStatus.DONE).exclude(file="")
    waiting = written.filter(collected_at=None, finished_at__gte=at - FRESH).first()
    return waiting or jobs.request(KIND, key=key, business=business, arguments=arguments, at=at)


def write_requested(context: JobContext, *, at: datetime) -> Download:
    """Write the report that a job was requested for."""
    wanted = context.arguments
    business = Business.objects.get(external_id=wanted["business"])
    period = Period(date.fromisoformat(wanted["first"]), date.fromisoformat(wanted["last"]))
    return write_expense_report(business, period, at=at, is_detailed=wanted["is_detailed"])


def _compose(business: Business, period: Period, *, at: datetime) -> pdf.ExpenseReport:
    expenses = get_expenses(business, period)
    return pdf.ExpenseReport(
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

"""Tax statements: a PDF file per quarter and per year, made after the end of the period.

A statement waits for the period's pending transactions to settle, at most MAX_SETTLEMENT_WAIT. It
leaves out transactions that are still pending then.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from django.db import transaction
from django.db.models import Q, Sum
from django.db.models.functions import Coalesce

from banking.choices import FULL_YEAR, BusinessType
from banking.days import DAY, midnight
from banking.models import Business, Entry, TaxStatement, Transaction
from banking.models.stored_files import store
from banking.pdf import tax_statements as pdf
from banking.pdf.bank import letterhead
from banking.pdf.totals import Disagreement
from banking.queries.addresses import mailing_lines
from banking.queries.profits import get_profit
from banking.queries.taxes import estimate_on
from banking.tax.estimate import TaxEstimate
from banking.tax.tables import NoStateTable, years
from foundation.files import PDF, Download

MAX_SETTLEMENT_WAIT = timedelta(days=14)
TAXES = {
    "Federal income tax": "federal_income_tax_cents",
    "Self-employment tax": "self_employment_tax_cents",
    "State tax": "state_tax_cents",
}


@dataclass(frozen=True)
class Period:
    """A quarter of a year, or with quarter 5 the whole year."""

    year: int
    quarter: int

    @property
    def first(self) -> date:
        """Return the first day."""
        month = 1 if self.quarter == FULL_YEAR else 3 * self.quarter - 2
        return date(self.year, month, 1)

    @property
    def last(self) -> date:
        """Return the last day."""
        if self.quarter >= FULL_YEAR - 1:
            return date(self.year, 12, 31)
        return date(self.year, 3 * self.quarter + 1, 1) - DAY


@dataclass(frozen=True)
class Outcome:
    """The outcome of a period of a business; `fault` is empty if there is a statement."""

    business: Business
    period: Period
    fault: str = ""


def make_tax_statements(*, through: date, at: datetime) -> Iterator[Outcome]:
    """Make the missing tax statements of periods that ended by `through`, and yield the outcomes.

    A business gets statements beginning with the period in which it joined. Each statement is
    committed before the next is made. A period whose transactions have not settled is left for a
    later run.
    """
    ended = list_periods(through=through)
    for business in Business.objects.order_by("pk"):
        joined = business.created_at.astimezone(UTC).date()
        made = set(business.tax_statements.values_list("tax_year", "quarter"))
        for period in ended:
            is_wanted = period.last >= joined and (period.year, period.quarter) not in made
            if is_wanted and is_complete(business, period, at=at):
                yield _try(business, period, at)


def is_complete(business: Business, period: Period, *, at: datetime) -> bool:
    """Return whether the period's transactions have settled, or were pending for too long."""
    end = midnight(period.last + DAY)
    pending = Transaction.objects.pending().filter(
        business=business, occurred_at__gte=midnight(period.first), occurred_at__lt=end
    )
    return at >= end + MAX_SETTLEMENT_WAIT or not pending.exists()


def list_periods(*, through: date) -> list[Period]:
    """Return the quarters and years that ended by `through`.

    The list begins with the first year that has tax tables.
    """
    years_through = range(years()[0], through.year + 1)
    periods = [
        Period(year, quarter) for year in years_through for quarter in range(1, 1 + FULL_YEAR)
    ]
    return [period for period in periods if period.last <= through]


def _try(business: Business, period: Period, at: datetime) -> Outcome:
    try:
        make_tax_statement(business, period=period, at=at)
    except (NoStateTable, Disagreement) as exc:
        return Outcome(business, period, fault=str(exc))
    return Outcome(business, period)


@transaction.atomic
def make_tax_statement(business: Business, *, period: Period, at: datetime) -> TaxStatement:
    """Return the stored tax statement of a period; make it if none is stored.

    Raises: NoTaxTables, NoStateTable, Disagreement.
    """
    locked = Business.objects.select_for_update(of=("self",), no_key=True).get(pk=business.pk)
    place = {"business": locked, "tax_year": period.year, "quarter": period.quarter}
    made = TaxStatement.objects.filter(**place).first()
    if made:
        return made
    content = pdf.render_tax_statement(compose(locked, period, at))
    part = "year" if period.quarter == FULL_YEAR else f"q{period.quarter}"
    name = f"tax-statement-{period.year}-{part}.pdf"
    return TaxStatement.objects.create(
        **place, created_at=at, **store(Download(PDF, name, content))
    )


def compose(business: Business, period: Period, at: datetime) -> pdf.TaxStatement:
    """Return the content of a statement.

    Its taxes are the part of the year's taxes that the period adds.
    """
    profit = get_profit(business, first=period.first, last=period.last)
    estimate = _estimate_through(business, period.last)
    opening, came, left = _set_aside(business, period)
    return pdf.TaxStatement(
        head=letterhead(),
        business_name=business.legal_name,
        address_lines=mailing_lines(business.pk),
        entity_name=BusinessType(business.business_type).label,
        tax_year=period.year,
        quarter=period.quarter,
        start_date=period.first,
        end_date=period.last,
        income_cents=profit.income_cents,
        expenses=tuple(
            pdf.CategoryExpense(row.name, row.count, row.amount_cents, row.deductible_cents)
            for row in profit.expenses
        ),
        set_aside_opening_cents=opening,
        set_aside_in_cents=came,
        set_aside_out_cents=left,
        set_aside_balance_cents=opening + came + left,
        taxes=tuple(_taxes(business, period, estimate)),
        sources=estimate.sources,
        notes=estimate.notes,
        created_at=at,
    )


def _taxes(business: Business, period: Period, estimate: TaxEstimate) -> Iterator[pdf.TaxLine]:
    """Yield the amount that the period adds to each tax of its year."""
    is_first = period.first == date(period.year, 1, 1)
    before = None if is_first else _estimate_through(business, period.first - DAY)
    for label, name in TAXES.items():
        amount = getattr(estimate, name) - (getattr(before, name) if before else 0)
        yield pdf.TaxLine(label, amount)


def _estimate_through(business: Business, last: date) -> TaxEstimate:
    """Estimate the taxes on the profit of a year until a day."""
    profit = get_profit(business, first=last.replace(month=1, day=1), last=last)
    return estimate_on(business, profit, year=last.year)


def _set_aside(business: Business, period: Period) -> tuple[int, int, int]:
    """Return the tax bucket's balance before the period, its deposits, its withdrawals (< 0)."""
    first = midnight(period.first)
    after = midnight(period.last + DAY)
    within = Q(posted_at__gte=first, posted_at__lt=after)
    entries = Entry.objects.filter(
        account__business=business, account__tax_bucket__isnull=False, posted_at__lt=after
    )
    sums = entries.aggregate(
        opening=Coalesce(Sum("amount_cents", filter=Q(posted_at__lt=first)), 0),
        came=Coalesce(Sum("amount_cents", filter=within & Q(amount_cents__gt=0)), 0),
        left=Coalesce(Sum("amount_cents", filter=within & Q(amount_cents__lt=0)), 0),
    )
    return sums["opening"], sums["came"], sums["left"]

"""Taxes: the estimate, the set-aside bucket, and the tax statements."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from uuid import UUID

from django.db.models import QuerySet

from banking.choices import BusinessType, FilingStatus
from banking.models import Business, TaxBucket, TaxStatement
from banking.money import usd
from banking.queries.profits import Profit, get_profit
from banking.reach import EVERYTHING, Reach
from banking.tax.assumptions import assumptions_of
from banking.tax.estimate import TaxEstimate, estimate_taxes
from foundation.external_ids import parse


@dataclass(frozen=True)
class BusinessTaxEstimate:
    """A tax estimate, its assumptions, and the savings for it. Units: cents.

    `filing_status` is None for a corporation, which files none.
    """

    estimate: TaxEstimate
    savings_cents: int
    is_default_income: bool
    as_of: date
    filing_status: FilingStatus | None
    assumptions: tuple[str, ...]


def estimate_for(
    business: Business,
    *,
    at: datetime,
    income_cents: int | None = None,
    deductibles_cents: int | None = None,
) -> BusinessTaxEstimate:
    """Estimate the taxes of the year of `at`; by default on income and deductibles so far.

    The assumptions name income and deductibles that contradict each other. A year without tables is
    estimated with the last tables before it. Raises: NoTaxTables, NoStateTable.
    """
    today = at.astimezone(UTC).date()
    profit = get_profit(business, first=today.replace(month=1, day=1), last=today)
    estimate = estimate_on(
        business,
        profit,
        year=today.year,
        income_cents=income_cents,
        deductibles_cents=deductibles_cents,
    )
    asked = (income_cents, deductibles_cents)
    is_corporation = business.business_type == BusinessType.C_CORP
    return BusinessTaxEstimate(
        estimate=estimate,
        savings_cents=get_tax_savings_cents(business),
        is_default_income=income_cents is None,
        as_of=today,
        filing_status=None if is_corporation else _filing_status(business),
        assumptions=(*_periods(today, *asked), *_doubts(profit, *asked), *_assumptions(business)),
    )


def get_tax_savings_cents(business: Business) -> int:
    """Return the current balance of the tax bucket; zero for a business without an open one."""
    try:
        return get_tax_bucket(business).account.current_cents
    except TaxBucket.DoesNotExist:
        return 0


def get_tax_bucket(business: Business, reach: Reach = EVERYTHING) -> TaxBucket:
    """Return the open tax bucket with its account.

    Raises: TaxBucket.DoesNotExist, also if its account is out of reach.
    """
    return TaxBucket.objects.select_related("account").get(
        reach.of_accounts(), account__business=business, account__closed_at=None
    )


def list_tax_statements(business: Business, *, year: int | None = None) -> QuerySet[TaxStatement]:
    """Return the tax statements of a business, the latest year first, in it quarter 5 first."""
    found = TaxStatement.objects.filter(business=business)
    found = found if year is None else found.filter(tax_year=year)
    return found.order_by("-tax_year", "-quarter", "-id")


def get_tax_statement(business: Business, external_id: str | UUID) -> TaxStatement:
    """Return a tax statement of the business. Raises: TaxStatement.DoesNotExist."""
    return list_tax_statements(business).get(external_id=parse(external_id))


def estimate_on(
    business: Business,
    profit: Profit,
    *,
    year: int,
    income_cents: int | None = None,
    deductibles_cents: int | None = None,
) -> TaxEstimate:
    """Estimate the taxes of a year on a profit, or on another income or other deductibles.

    Raises: NoTaxTables, NoStateTable.
    """
    return estimate_taxes(
        income_cents=profit.income_cents if income_cents is None else income_cents,
        deductibles_cents=(
            profit.deductibles_cents if deductibles_cents is None else deductibles_cents
        ),
        year=year,
        business_type=BusinessType(business.business_type),
        state=business.tax_state or business.incorporation_state,
        filing_status=_filing_status(business),
    )


def _filing_status(business: Business) -> FilingStatus:
    """Return the filing status of the owner; single if it is not known."""
    return FilingStatus(business.filing_status or FilingStatus.SINGLE)


def _periods(today: date, income_cents: int | None, deductibles_cents: int | None) -> Iterator[str]:
    """Yield a sentence on the period that the income and the deductibles cover."""
    so_far = f"{today.replace(month=1, day=1)} to {today}"
    if income_cents is None and deductibles_cents is None:
        yield f"Income and deductibles are those of {so_far}; the rest of the year is left out."
    elif income_cents is None:
        yield f"The deductibles are those asked about; the income is that of {so_far}."
    elif deductibles_cents is None:
        yield f"The income is the one asked about; the deductibles are those of {so_far}."
    else:
        yield "Income and deductibles are those asked about."


def _doubts(
    profit: Profit, income_cents: int | None, deductibles_cents: int | None
) -> Iterator[str]:
    """Yield a sentence for each contradiction among the given figures and the year's so far."""
    if income_cents is not None:
        deducted = profit.deductibles_cents if deductibles_cents is None else deductibles_cents
        if income_cents < profit.income_cents:
            so_far = usd(profit.income_cents)
            yield f"Doubtful: the income asked about is less than the {so_far} earned this year."
        if income_cents < deducted:
            yield f"Doubtful: deductibles of {usd(deducted)} exceed the income asked about."
    if deductibles_cents is not None and deductibles_cents < profit.deductibles_cents:
        so_far = usd(profit.deductibles_cents)
        yield f"Doubtful: the deductibles asked about are less than the {so_far} of this year."


def _assumptions(business: Business) -> Iterator[str]:
    if not business.filing_status and business.business_type != BusinessType.C_CORP:
        yield "How the owner files is not known."
    yield from assumptions_of(BusinessType(business.business_type), _filing_status(business))

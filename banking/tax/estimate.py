"""Estimate the taxes of a business for a year from its income and its deductibles.

One owner has the whole profit and no other income; `docs/tax-tables.md` lists what is assumed
and what is left out. Inside all amounts are decimals of cents, rounded once at the end.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from banking.choices import BusinessType, FilingStatus
from banking.tax.tables import (
    ZERO,
    Bracket,
    FederalTable,
    QualifiedBusinessIncomeTable,
    SelfEmploymentTable,
    SlidingAmount,
    StateBase,
    StateTable,
    federal_table,
    state_table,
    year_of_tables,
)

SELF_EMPLOYED: Final = frozenset(
    {
        BusinessType.SSN,
        BusinessType.DBA,
        BusinessType.LLC,
        BusinessType.MMLLC,
        BusinessType.GENERAL_PARTNERSHIP,
        BusinessType.LLP,
    }
)
NEXT_DEDUCTIBLE: Final = Decimal(100_00)
RATE_PLACES: Final = Decimal("0.0001")


@dataclass(frozen=True)
class TaxEstimate:
    """The estimated taxes of a year, and the share of further deductibles that would be saved.

    `estimated_rate_for_next_deductible` is a fraction, for example 0.2430. `tables_year` is the
    year whose tables were used. Units: cents.
    """

    income_cents: int
    deductibles_cents: int
    federal_income_tax_cents: int
    self_employment_tax_cents: int
    state_tax_cents: int
    estimated_rate_for_next_deductible: Decimal
    year: int
    tables_year: int
    sources: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def total_cents(self) -> int:
        return self.federal_income_tax_cents + self.self_employment_tax_cents + self.state_tax_cents


@dataclass(frozen=True)
class Rules:
    """The federal table and the state's table by which a business of a type is taxed."""

    business_type: BusinessType
    federal: FederalTable
    state: StateTable

    @property
    def is_corporation(self) -> bool:
        return self.business_type == BusinessType.C_CORP

    @property
    def is_self_employed(self) -> bool:
        return self.business_type in SELF_EMPLOYED


@dataclass(frozen=True)
class SelfEmploymentTax:
    """The self-employment tax. Half of `contributions` is deducted from income.

    The additional Medicare tax is not deducted. Units: cents with fractions.
    """

    contributions: Decimal = ZERO
    additional_medicare: Decimal = ZERO

    @property
    def total(self) -> Decimal:
        return self.contributions + self.additional_medicare

    @property
    def deductible(self) -> Decimal:
        return self.contributions / 2


@dataclass(frozen=True)
class OwnersIncome:
    """The owner's income from profit to taxable income. Units: cents with fractions.

    `adjusted` is the profit less the deductible half of the self-employment tax; `taxable` is
    `adjusted` less the standard deduction and the deduction for qualified business income.
    """

    profit: Decimal
    self_employment_tax: SelfEmploymentTax
    adjusted: Decimal
    qbi_deduction: Decimal
    taxable: Decimal


@dataclass(frozen=True)
class Taxes:
    """The three taxes on a profit, in cents with fractions."""

    federal_income: Decimal
    self_employment: Decimal
    state: Decimal

    @property
    def total(self) -> Decimal:
        return self.federal_income + self.self_employment + self.state


def estimate_taxes(
    *,
    income_cents: int,
    deductibles_cents: int,
    year: int,
    business_type: BusinessType,
    state: str,
    filing_status: FilingStatus = FilingStatus.SINGLE,
) -> TaxEstimate:
    """Return the taxes on income less deductibles; a loss owes nothing.

    For a year without tables those of the latest earlier year are used, and a note says so.
    Raises: NoTaxTables; NoStateTable, also for a corporation, whose state tax is left out.
    """
    tables_year = year_of_tables(year)
    rules = Rules(
        business_type=business_type,
        federal=federal_table(year=tables_year, filing_status=filing_status),
        state=state_table(year=tables_year, state=state, filing_status=filing_status),
    )
    profit = Decimal(max(0, income_cents - deductibles_cents))
    taxes = taxes_on(profit, rules=rules)
    return TaxEstimate(
        income_cents=income_cents,
        deductibles_cents=deductibles_cents,
        federal_income_tax_cents=_whole_cents(taxes.federal_income),
        self_employment_tax_cents=_whole_cents(taxes.self_employment),
        state_tax_cents=_whole_cents(taxes.state),
        estimated_rate_for_next_deductible=rate_for_next_deductible(profit, rules=rules),
        year=year,
        tables_year=tables_year,
        sources=_sources(rules, state=state),
        notes=(*_notes_on_tables(year, tables_year), *_notes(rules, state=state, year=tables_year)),
    )


def taxes_on(profit: Decimal, *, rules: Rules) -> Taxes:
    """Return the taxes on a profit in cents, which must not be negative."""
    if rules.is_corporation:
        return Taxes(profit * rules.federal.corporate_rate, ZERO, ZERO)
    income = income_of_owner(profit, rules=rules)
    federal = tax_by_brackets(income.taxable, rules.federal.brackets)
    state = state_tax(income, federal_income_tax=federal, table=rules.state)
    return Taxes(federal, income.self_employment_tax.total, state)


def income_of_owner(profit: Decimal, *, rules: Rules) -> OwnersIncome:
    """Return the income of a business's owner from a profit: each step to the taxable income."""
    federal, levied = rules.federal, SelfEmploymentTax()
    if rules.is_self_employed:
        levied = self_employment_tax(profit, federal.self_employment)
    adjusted = profit - levied.deductible
    after_standard = max(ZERO, adjusted - federal.standard_deduction)
    qbi = qbi_deduction(
        business_income=adjusted,
        taxable_income=after_standard,
        table=federal.qualified_business_income,
    )
    return OwnersIncome(profit, levied, adjusted, qbi, after_standard - qbi)


def self_employment_tax(profit: Decimal, table: SelfEmploymentTable) -> SelfEmploymentTax:
    """Return the tax of 26 U.S.C. 1401; nothing on earnings under the least that is taxed."""
    earnings = profit * table.net_share
    if earnings < table.least_earnings:
        return SelfEmploymentTax()
    social_security = min(earnings, Decimal(table.wage_base)) * table.social_security_rate
    above = max(ZERO, earnings - table.additional_medicare_from)
    return SelfEmploymentTax(
        contributions=social_security + earnings * table.medicare_rate,
        additional_medicare=above * table.additional_medicare_rate,
    )


def qbi_deduction(
    *, business_income: Decimal, taxable_income: Decimal, table: QualifiedBusinessIncomeTable
) -> Decimal:
    """Return the deduction of 26 U.S.C. 199A for a business without wages and property.

    From the threshold on, the income that counts falls evenly to 0 over `phase_in`; businesses with
    at least `minimum_income` keep the minimum deduction.
    """
    excess = max(ZERO, taxable_income - table.threshold)
    left = max(ZERO, 1 - excess / table.phase_in)
    deduction = min(business_income * left, taxable_income) * table.rate
    if business_income >= table.minimum_income:
        deduction = max(deduction, Decimal(table.minimum_deduction))
    return min(deduction, taxable_income)


def state_tax(income: OwnersIncome, *, federal_income_tax: Decimal, table: StateTable) -> Decimal:
    """Return a state's tax on the income of the owner."""
    base = income.profit if table.base == StateBase.PROFIT else income.adjusted
    deducted = state_deductions(income, base=base, table=table)
    deducted += min(federal_income_tax, table.federal_tax_deducted.at(base))
    tax = tax_by_brackets(max(ZERO, base - deducted), table.brackets) + _sum(table.surcharges, base)
    return max(ZERO, tax * (1 - _sum(table.credit_shares, base)) - _sum(table.credits, base))


def state_deductions(income: OwnersIncome, *, base: Decimal, table: StateTable) -> Decimal:
    """Return the state's deductions other than that of the federal income tax."""
    deducted = _sum(table.deductions, base) + income.profit * table.profit_excluded
    if table.deducts_qbi:
        deducted += income.qbi_deduction
    if table.itemizes_self_employment_tax:
        standard = table.deductions[0].at(base)
        deducted += max(ZERO, income.self_employment_tax.total - standard)
    return deducted


def tax_by_brackets(taxable: Decimal, brackets: Iterable[Bracket]) -> Decimal:
    """Return the tax on a taxable income; each rate applies within its bracket."""
    tax, last_rate = ZERO, ZERO
    for bracket in brackets:
        tax += max(ZERO, taxable - bracket.from_cents) * (bracket.rate - last_rate)
        last_rate = bracket.rate
    return tax


def rate_for_next_deductible(profit: Decimal, *, rules: Rules) -> Decimal:
    """Return by how much the taxes fall per dollar over the next hundred dollars deducted."""
    step = min(profit, NEXT_DEDUCTIBLE)
    if not step:
        return ZERO.quantize(RATE_PLACES)
    saved = taxes_on(profit, rules=rules).total - taxes_on(profit - step, rules=rules).total
    return (saved / step).quantize(RATE_PLACES, ROUND_HALF_UP)


def _sum(amounts: Iterable[SlidingAmount], income: Decimal) -> Decimal:
    return sum((amount.at(income) for amount in amounts), ZERO)


def _sources(rules: Rules, *, state: str) -> tuple[str, ...]:
    if rules.is_corporation:
        return rules.federal.sources
    return (*rules.federal.sources, f"{state}: {rules.state.source}")


def _notes_on_tables(year: int, tables_year: int) -> tuple[str, ...]:
    if year == tables_year:
        return ()
    return (f"There are no tax tables of {year} yet; those of {tables_year} are used.",)


def _notes(rules: Rules, *, state: str, year: int) -> tuple[str, ...]:
    """Return the notes on the state's part of the estimate."""
    if rules.is_corporation:
        return (f"{state}: The state's tax on corporations is left out.",)
    notes = [rules.state.note]
    if rules.state.values_of != year:
        notes.append(f"The figures are those of {rules.state.values_of}.")
    return tuple(f"{state}: {note}" for note in notes if note)


def _whole_cents(amount: Decimal) -> int:
    return int(amount.quantize(Decimal(1), ROUND_HALF_UP))

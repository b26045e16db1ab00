"""The tax tables of a year: JSON with whole dollars as published, in memory as cents.

`docs/tax-tables.md` says what the fields mean and how a year is added.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Final

from banking.choices import FilingStatus
from banking.money import cents

DATA: Final = Path(__file__).parent / "data"
ZERO: Final = Decimal(0)
UNLIMITED: Final = Decimal("Infinity")
FOR_ALL: Final = "ALL"


class NoTaxTables(LookupError):
    """There are no tables of a year; the message names the years that there are."""


class NoStateTable(LookupError):
    """There are no figures of a state in the tables of a year."""


class StateBase(StrEnum):
    """The base of a state's tax: the profit, or the profit less half the self-employment tax."""

    PROFIT = "PROFIT"
    ADJUSTED_INCOME = "ADJUSTED_INCOME"


@dataclass(frozen=True)
class Bracket:
    """A rate, and the taxable income in cents from which it applies."""

    from_cents: int
    rate: Decimal


@dataclass(frozen=True)
class SlidingAmount:
    """An amount that changes to `end` in a straight line as income goes through a range.

    The range is from `slides_from` to `slides_to`; without an `end` the amount is constant.
    """

    amount: Decimal
    slides_from: Decimal = ZERO
    slides_to: Decimal = UNLIMITED
    end: Decimal | None = None

    def at(self, income: Decimal) -> Decimal:
        """Return the amount at an income."""
        if self.end is None or income <= self.slides_from:
            return self.amount
        if income >= self.slides_to:
            return self.end
        way = (income - self.slides_from) / (self.slides_to - self.slides_from)
        return self.amount + way * (self.end - self.amount)


@dataclass(frozen=True)
class SelfEmploymentTable:
    """The self-employment tax, which is levied on `net_share` of the profit."""

    net_share: Decimal
    least_earnings: int
    social_security_rate: Decimal
    wage_base: int
    medicare_rate: Decimal
    additional_medicare_rate: Decimal
    additional_medicare_from: int


@dataclass(frozen=True)
class QualifiedBusinessIncomeTable:
    """The deduction of qualified business income, phased out from the threshold on."""

    rate: Decimal
    threshold: int
    phase_in: int
    minimum_deduction: int
    minimum_income: int


@dataclass(frozen=True)
class FederalTable:
    """The federal figures of a year for one filing status."""

    standard_deduction: int
    brackets: tuple[Bracket, ...]
    self_employment: SelfEmploymentTable
    qualified_business_income: QualifiedBusinessIncomeTable
    corporate_rate: Decimal
    sources: tuple[str, ...]


@dataclass(frozen=True)
class StateTable:
    """A state's figures of a year for one filing status.

    `values_of` is the year of the figures, which may be an earlier year. The first of `deductions`
    is the standard deduction, where the state has one.
    """

    base: StateBase
    brackets: tuple[Bracket, ...]
    deductions: tuple[SlidingAmount, ...]
    surcharges: tuple[SlidingAmount, ...]
    credits: tuple[SlidingAmount, ...]
    credit_shares: tuple[SlidingAmount, ...]
    profit_excluded: Decimal
    deducts_qbi: bool
    itemizes_self_employment_tax: bool
    federal_tax_deducted: SlidingAmount
    values_of: int
    source: str
    note: str


def years() -> list[int]:
    """Return the years for which both the federal tables and the states' tables exist, sorted."""
    federal, states = (
        {int(path.stem.removeprefix(f"{name}-")) for path in DATA.glob(f"{name}-*.json")}
        for name in ("federal", "states")
    )
    return sorted(federal & states)


def year_of_tables(year: int) -> int:
    """Return the year whose tables are used for a year: its own, else the last before it.

    Raises: NoTaxTables if all tables are of later years.
    """
    earlier = [there for there in years() if there <= year]
    if not earlier:
        raise _no_tables(year)
    return earlier[-1]


@cache
def federal_table(*, year: int, filing_status: FilingStatus) -> FederalTable:
    """Return the federal figures of a year. Raises: NoTaxTables."""
    raw = read_file("federal", year)
    return FederalTable(
        standard_deduction=_amount(raw["standardDeduction"], filing_status),
        brackets=_brackets(raw["brackets"], filing_status),
        self_employment=_self_employment(raw["selfEmploymentTax"], filing_status),
        qualified_business_income=_qbi(raw["qualifiedBusinessIncome"], filing_status),
        corporate_rate=raw["corporateRate"],
        sources=tuple(raw["source"]),
    )


@cache
def state_table(*, year: int, state: str, filing_status: FilingStatus) -> StateTable:
    """Return a state's figures of a year. Raises: NoTaxTables, NoStateTable."""
    states = read_file("states", year)["states"]
    if state not in states:
        raise NoStateTable(f"there are no tax figures of {state!r} for {year}")
    raw = states[state]
    return StateTable(
        base=StateBase(raw.get("base", StateBase.ADJUSTED_INCOME)),
        brackets=_brackets(raw["brackets"], filing_status),
        deductions=_sliding(raw.get("deductions", []), filing_status),
        surcharges=_sliding(raw.get("surcharges", []), filing_status),
        credits=_sliding(raw.get("credits", []), filing_status),
        credit_shares=_sliding(raw.get("creditShares", []), filing_status),
        profit_excluded=raw.get("profitExcluded", ZERO),
        deducts_qbi=raw.get("deductsQbi", False),
        itemizes_self_employment_tax=raw.get("itemizesSelfEmploymentTax", False),
        federal_tax_deducted=_federal_tax_deducted(raw, filing_status),
        values_of=int(raw.get("valuesOf", year)),
        source=raw["source"],
        note=raw.get("note", ""),
    )


@cache
def read_file(name: str, year: int) -> dict[str, Any]:
    """Return the tables in the JSON file `name` of a year, numbers as Decimal.

    The dict is cached: do not change it. Raises: NoTaxTables.
    """
    if year not in years():
        raise _no_tables(year)
    text = (DATA / f"{name}-{year}.json").read_text(encoding="utf-8")
    tables: dict[str, Any] = json.loads(text, parse_float=Decimal, parse_int=Decimal)
    return tables


def _no_tables(year: int) -> NoTaxTables:
    there = ", ".join(str(year) for year in years())
    return NoTaxTables(f"there are no tax tables of {year}; there are those of {there}")


def _of(per_status: Mapping[str, Any], filing_status: FilingStatus) -> Any:
    return per_status[FOR_ALL if FOR_ALL in per_status else filing_status]


def _amount(per_status: Mapping[str, Decimal], filing_status: FilingStatus) -> int:
    return cents(_of(per_status, filing_status))


def _brackets(
    per_status: Mapping[str, list[list[Decimal]]], filing_status: FilingStatus
) -> tuple[Bracket, ...]:
    rows = _of(per_status, filing_status)
    return tuple(Bracket(from_cents=cents(start), rate=rate) for start, rate in rows)


def _sliding(
    rows: list[Mapping[str, Any]], filing_status: FilingStatus
) -> tuple[SlidingAmount, ...]:
    return tuple(_sliding_amount(row, filing_status) for row in rows)


def _sliding_amount(row: Mapping[str, Any], filing_status: FilingStatus) -> SlidingAmount:
    """Return the amount of a row in cents or, if the row has a share instead, the share."""
    amount = row["share"] if "share" in row else Decimal(_amount(row["amount"], filing_status))
    if "slidesFrom" not in row:
        return SlidingAmount(amount=amount)
    return SlidingAmount(
        amount=amount,
        slides_from=Decimal(_amount(row["slidesFrom"], filing_status)),
        slides_to=Decimal(_amount(row["slidesTo"], filing_status)),
        end=Decimal(_amount(row["end"], filing_status)) if "end" in row else ZERO,
    )


def _federal_tax_deducted(raw: Mapping[str, Any], filing_status: FilingStatus) -> SlidingAmount:
    """Return the maximum of federal income tax that a state lets taxpayers deduct."""
    rule = raw.get("federalTaxDeducted")
    if rule == FOR_ALL:
        return SlidingAmount(amount=UNLIMITED)
    return _sliding_amount(rule, filing_status) if rule else SlidingAmount(amount=ZERO)


def _self_employment(raw: Mapping[str, Any], filing_status: FilingStatus) -> SelfEmploymentTable:
    return SelfEmploymentTable(
        net_share=raw["netShare"],
        least_earnings=cents(raw["leastEarnings"]),
        social_security_rate=raw["socialSecurityRate"],
        wage_base=cents(raw["wageBase"]),
        medicare_rate=raw["medicareRate"],
        additional_medicare_rate=raw["additionalMedicareRate"],
        additional_medicare_from=_amount(raw["additionalMedicareFrom"], filing_status),
    )


def _qbi(raw: Mapping[str, Any], filing_status: FilingStatus) -> QualifiedBusinessIncomeTable:
    return QualifiedBusinessIncomeTable(
        rate=raw["rate"],
        threshold=_amount(raw["threshold"], filing_status),
        phase_in=_amount(raw["phaseIn"], filing_status),
        minimum_deduction=cents(raw["minimumDeduction"]),
        minimum_income=cents(raw["minimumIncome"]),
    )

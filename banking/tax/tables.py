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
    """What a state starts from: the profit, or the profit less half the self-employment tax."""

    PROFIT = "PROFIT"
    ADJUSTED_INCOME = "ADJUSTED_INCOME"


@dataclass(frozen=True)
class Bracket:
    """A rate, and the taxable income in cents from which it applies."""

    from_cents: int
    rate: Decimal


@dataclass(frozen=True)
class Allowance:
    """An amount in cents that falls to `floor` in a straight line while the income rises."""

    amount: Decimal
    falls_from: Decimal | None = None
    falls_to: Decimal | None = None
    floor: Decimal = ZERO

    def at(self, income: Decimal) -> Decimal:
        """Return what is left of the allowance at an income."""
        if self.falls_from is None or self.falls_to is None or income <= self.falls_from:
            return self.amount
        if income >= self.falls_to:
            return self.floor
        gone = (income - self.falls_from) / (self.falls_to - self.falls_from)
        return self.amount - gone * (self.amount - self.floor)


@dataclass(frozen=True)
class SelfEmploymentTable:
    """The self-employment tax; `net_share` of the profit is what it is levied on."""

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
    """A state's figures of a year for one filing status; `values_of` is the year they are of."""

    base: StateBase
    brackets: tuple[Bracket, ...]
    deductions: tuple[Allowance, ...]
    credits: tuple[Allowance, ...]
    profit_excluded: Decimal
    deducts_qbi: bool
    federal_tax_deducted: Allowance
    values_of: int
    source: str
    note: str


def years() -> list[int]:
    """Return the years that both a federal table and tables of the states are there for."""
    federal, states = (
        {int(path.stem.removeprefix(f"{name}-")) for path in DATA.glob(f"{name}-*.json")}
        for name in ("federal", "states")
    )
    return sorted(federal & states)


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
        deductions=_allowances(raw.get("deductions", []), filing_status),
        credits=_allowances(raw.get("credits", []), filing_status),
        profit_excluded=raw.get("profitExcluded", ZERO),
        deducts_qbi=raw.get("deductsQbi", False),
        federal_tax_deducted=_federal_tax_deducted(raw, filing_status),
        values_of=int(raw.get("valuesOf", year)),
        source=raw["source"],
        note=raw.get("note", ""),
    )


@cache
def read_file(name: str, year: int) -> dict[str, Any]:
    """Return one file, its numbers as exact decimals."""
    if year not in years():
        there = ", ".join(str(year) for year in years())
        raise NoTaxTables(f"there are no tax tables of {year}; there are those of {there}")
    text = (DATA / f"{name}-{year}.json").read_text(encoding="utf-8")
    tables: dict[str, Any] = json.loads(text, parse_float=Decimal, parse_int=Decimal)
    return tables


def _of(per_status: Mapping[str, Any], filing_status: FilingStatus) -> Any:
    return per_status[FOR_ALL if FOR_ALL in per_status else filing_status]


def _amount(per_status: Mapping[str, Decimal], filing_status: FilingStatus) -> int:
    return cents(_of(per_status, filing_status))


def _brackets(
    per_status: Mapping[str, list[list[Decimal]]], filing_status: FilingStatus
) -> tuple[Bracket, ...]:
    rows = _of(per_status, filing_status)
    return tuple(Bracket(from_cents=cents(start), rate=rate) for start, rate in rows)


def _allowances(
    rows: list[Mapping[str, Any]], filing_status: FilingStatus
) -> tuple[Allowance, ...]:
    return tuple(_allowance(row, filing_status) for row in rows)


def _allowance(row: Mapping[str, Any], filing_status: FilingStatus) -> Allowance:
    amounts = {
        field: Decimal(_amount(row[key], filing_status))
        for field, key in [
            ("amount", "amount"),
            ("falls_from", "fallsFrom"),
            ("falls_to", "fallsTo"),
            ("floor", "floor"),
        ]
        if key in row
    }
    return Allowance(**amounts)


def _federal_tax_deducted(raw: Mapping[str, Any], filing_status: FilingStatus) -> Allowance:
    """Return how much of the federal income tax a state deducts at most."""
    rule = raw.get("federalTaxDeducted")
    if rule == FOR_ALL:
        return Allowance(amount=UNLIMITED)
    return _allowance(rule, filing_status) if rule else Allowance(amount=ZERO)


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

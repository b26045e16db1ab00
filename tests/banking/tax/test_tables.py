"""The tables of taxes: complete, exact, and one file a year."""

import json
from decimal import Decimal
from itertools import pairwise

import pytest

from banking.choices import FilingStatus
from banking.tax import tables
from banking.tax.tables import NoStateTable, NoTaxTables, SlidingAmount, StateBase

YEARS = [2025, 2026]
FIFTY_AND_DC = (
    "AK AL AR AZ CA CO CT DC DE FL GA HI IA ID IL IN KS KY LA MA MD ME MI MN MO MS MT NC ND NE NH "
    "NJ NM NV NY OH OK OR PA RI SC SD TN TX UT VA VT WA WI WV WY"
)
STATES = FIFTY_AND_DC.split()
UNTAXED = {"AK", "FL", "NH", "NV", "SD", "TN", "TX", "WA", "WY"}
SINGLE, JOINT, HEAD = FilingStatus.SINGLE, FilingStatus.JOINT, FilingStatus.HEAD_OF_HOUSEHOLD


@pytest.fixture
def forget():
    """Forget what was read, before and after."""
    caches = [tables.read_file, tables.federal_table, tables.state_table]
    for cached in caches:
        cached.cache_clear()
    yield
    for cached in caches:
        cached.cache_clear()


def every_state_table(year):
    return [
        (state, tables.state_table(year=year, state=state, filing_status=status))
        for state in STATES
        for status in FilingStatus
    ]


def first_rates(state, *, year, filing_status=SINGLE):
    table = tables.state_table(year=year, state=state, filing_status=filing_status)
    return [(bracket.from_cents // 100, bracket.rate) for bracket in table.brackets]


def flat_rate(state, *, year):
    [(start, rate)] = first_rates(state, year=year)
    assert start == 0
    return rate


def test_the_years_are_those_with_both_files():
    assert tables.years() == YEARS


@pytest.mark.parametrize("year", YEARS)
def test_each_year_has_each_state_and_no_other(year):
    raw = json.loads((tables.DATA / f"states-{year}.json").read_text())

    assert sorted(raw["states"]) == sorted(STATES)


@pytest.mark.parametrize("year", YEARS)
@pytest.mark.parametrize("name", ["federal", "states"])
def test_each_file_says_its_year_its_date_and_its_sources(year, name):
    raw = json.loads((tables.DATA / f"{name}-{year}.json").read_text())

    assert raw["year"] == year
    assert raw["effectiveDate"] == f"{year}-01-01"
    assert all(raw["source"])


@pytest.mark.parametrize("year", YEARS)
def test_each_state_says_what_its_figures_rest_on(year):
    for state, table in every_state_table(year):
        assert table.source, state
        assert 2025 <= table.values_of <= year, state


@pytest.mark.parametrize("year", YEARS)
def test_brackets_begin_at_zero_and_rise(year):
    for state, table in every_state_table(year):
        starts = [bracket.from_cents for bracket in table.brackets]
        assert starts[:1] in ([], [0]), state
        assert all(lower < upper for lower, upper in pairwise(starts)), state
        assert all(0 <= bracket.rate < Decimal("0.15") for bracket in table.brackets), state


@pytest.mark.parametrize("year", YEARS)
def test_what_is_deducted_never_rises_and_surcharges_never_fall(year):
    for state, table in every_state_table(year):
        for amount in [*table.deductions, *table.credits, *table.credit_shares]:
            assert amount.amount >= (amount.end or 0) >= 0, state
        for surcharge in table.surcharges:
            assert surcharge.amount <= surcharge.end, state


@pytest.mark.parametrize("year", YEARS)
def test_what_slides_has_a_range(year):
    for state, table in every_state_table(year):
        for amount in [*table.deductions, *table.credits, *table.surcharges]:
            assert amount.slides_from < amount.slides_to, state


@pytest.mark.parametrize("year", YEARS)
def test_nine_states_do_not_tax_the_income_of_persons(year):
    untaxed = {state for state, table in every_state_table(year) if not table.brackets}

    assert untaxed == UNTAXED


@pytest.mark.parametrize(
    ("state", "in_2025", "in_2026"),
    [
        ("GA", "0.0519", "0.0499"),  # HB 111 of 2025, HB 463 of 2026
        ("IN", "0.03", "0.0295"),  # IC 6-3-2-1
        ("KY", "0.04", "0.035"),  # HB 1 of 2025
        ("NC", "0.0425", "0.0399"),  # G.S. 105-153.7
        ("UT", "0.045", "0.0445"),  # Utah Code 59-10-104
        ("AZ", "0.025", "0.025"),
        ("CO", "0.044", "0.044"),
        ("IA", "0.038", "0.038"),
        ("LA", "0.03", "0.03"),
        ("PA", "0.0307", "0.0307"),
    ],
)
def test_flat_rates_are_those_of_their_year(state, in_2025, in_2026):
    assert flat_rate(state, year=2025) == Decimal(in_2025)
    assert flat_rate(state, year=2026) == Decimal(in_2026)


@pytest.mark.parametrize(
    ("state", "in_2025", "in_2026"),
    [
        ("MS", "0.044", "0.04"),  # Mississippi Code 27-7-5
        ("MT", "0.059", "0.0565"),  # HB 337 of 2025
        ("NE", "0.052", "0.0455"),  # LB 754 of 2023
        ("OK", "0.0475", "0.045"),  # HB 2764 of 2025
        ("SC", "0.06", "0.0521"),  # H.4216 of 2026
        ("AR", "0.039", "0.037"),  # Act 1 of 2026
        ("WV", "0.0482", "0.0458"),  # W. Va. Code 11-21-4g
    ],
)
def test_highest_rates_are_those_of_their_year(state, in_2025, in_2026):
    assert first_rates(state, year=2025)[-1][1] == Decimal(in_2025)
    assert first_rates(state, year=2026)[-1][1] == Decimal(in_2026)


def test_new_york_lowers_its_five_lowest_rates_in_2026():
    before, after = first_rates("NY", year=2025), first_rates("NY", year=2026)

    assert [rate for _, rate in before[:5]] == list(
        map(Decimal, ["0.04", "0.045", "0.0525", "0.055", "0.06"])
    )
    assert [old - new for (_, old), (_, new) in zip(before, after, strict=True)] == [
        *[Decimal("0.001")] * 5,
        *[0] * 4,
    ]


@pytest.mark.parametrize("year", YEARS)
def test_ohio_leaves_a_quarter_million_of_business_income_untaxed(year):
    assert first_rates("OH", year=year) == [(0, 0), (250_000, Decimal("0.03"))]


def test_alabama_has_its_rates_of_1983():
    assert first_rates("AL", year=2026, filing_status=JOINT) == [
        (0, Decimal("0.02")),
        (1_000, Decimal("0.04")),
        (6_000, Decimal("0.05")),
    ]


def test_figures_of_an_earlier_year_are_marked():
    california = tables.state_table(year=2026, state="CA", filing_status=SINGLE)
    georgia = tables.state_table(year=2026, state="GA", filing_status=SINGLE)

    assert california.values_of == 2025
    assert georgia.values_of == 2026


@pytest.mark.parametrize(
    ("year", "filing_status", "dollars"),
    [
        (2025, SINGLE, 15_750),  # Public Law 119-21, section 70102
        (2025, JOINT, 31_500),
        (2025, HEAD, 23_625),
        (2026, SINGLE, 16_100),  # Rev. Proc. 2025-32
        (2026, JOINT, 32_200),
        (2026, HEAD, 24_150),
    ],
)
def test_the_federal_standard_deduction_is_the_raised_one(year, filing_status, dollars):
    federal = tables.federal_table(year=year, filing_status=filing_status)

    assert federal.standard_deduction == dollars * 100


@pytest.mark.parametrize("year", YEARS)
@pytest.mark.parametrize("filing_status", FilingStatus)
def test_federal_rates_are_seven_and_exact(year, filing_status):
    federal = tables.federal_table(year=year, filing_status=filing_status)

    rates = [bracket.rate * 100 for bracket in federal.brackets]

    assert rates == [10, 12, 22, 24, 32, 35, 37]


def test_a_text_serves_for_a_filing_status():
    assert tables.federal_table(year=2026, filing_status="JOINT") == tables.federal_table(
        year=2026, filing_status=JOINT
    )


def test_a_year_without_tables_is_refused_and_the_others_named():
    with pytest.raises(NoTaxTables, match=r"2019.*2025, 2026"):
        tables.federal_table(year=2019, filing_status=SINGLE)
    with pytest.raises(NoTaxTables, match=r"2019.*2025, 2026"):
        tables.state_table(year=2019, state="CA", filing_status=SINGLE)


@pytest.mark.parametrize("state", ["PR", "ca", "", "ZZ"])
def test_a_state_without_figures_is_refused(state):
    with pytest.raises(NoStateTable, match=f"'{state}' for 2026"):
        tables.state_table(year=2026, state=state, filing_status=SINGLE)


@pytest.mark.usefixtures("forget")
def test_a_new_year_is_one_file_each(tmp_path, monkeypatch):
    for name in ("federal", "states"):
        raw = json.loads((tables.DATA / f"{name}-2026.json").read_text())
        (tmp_path / f"{name}-2027.json").write_text(json.dumps(raw | {"year": 2027}))
    (tmp_path / "federal-2028.json").write_text("{}")
    monkeypatch.setattr(tables, "DATA", tmp_path)

    federal = tables.federal_table(year=2027, filing_status=SINGLE)

    assert tables.years() == [2027]
    assert federal.standard_deduction == 16_100_00


def test_a_table_is_read_once():
    first = tables.federal_table(year=2026, filing_status=SINGLE)

    assert tables.federal_table(year=2026, filing_status=SINGLE) is first


@pytest.mark.parametrize(
    ("income", "amount"), [(0, 1000), (100, 1000), (150, 700), (200, 400), (999, 400)]
)
def test_an_amount_slides_in_a_straight_line_to_its_end(income, amount):
    sliding = SlidingAmount(
        amount=Decimal(1000), slides_from=Decimal(100), slides_to=Decimal(200), end=Decimal(400)
    )

    assert sliding.at(Decimal(income)) == amount


@pytest.mark.parametrize("state", ["AL", "AR", "MA", "MI", "NJ", "PA"])
def test_some_states_do_not_deduct_half_of_the_self_employment_tax(state):
    table = tables.state_table(year=2026, state=state, filing_status=SINGLE)

    assert table.base == StateBase.PROFIT

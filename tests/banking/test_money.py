from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banking import money


@pytest.mark.parametrize(
    ("cents", "plain", "read"),
    [
        (0, "0.00", "$0.00"),
        (5, "0.05", "$0.05"),
        (-5, "-0.05", "-$0.05"),
        (123456, "1234.56", "$1,234.56"),
        (-100000000, "-1000000.00", "-$1,000,000.00"),
    ],
)
def test_cents_are_written_as_dollars(cents, plain, read):
    assert (money.usd(cents), money.usd_text(cents)) == (plain, read)


@given(st.integers(-(10**15), 10**15))
def test_dollars_and_cents_are_the_same_amount(cents):
    assert money.cents(money.usd(cents)) == cents


@pytest.mark.parametrize("text", ["", "abc", "1.005", "NaN", "Infinity", "1e400", "1,00"])
def test_a_text_that_is_no_amount_is_refused(text):
    with pytest.raises(money.InvalidAmount):
        money.cents(text)


@pytest.mark.parametrize(
    ("amount", "percent", "share"), [(1000, "7.25", 73), (-1000, "7.25", -73), (333, "50", 167)]
)
def test_half_a_cent_is_rounded_away_from_zero(amount, percent, share):
    assert money.percent_of(amount, Decimal(percent)) == share


@pytest.mark.parametrize(
    ("amount", "currency", "units", "read"),
    [
        ("1500", "JPY", 1_500, "1,500 JPY"),
        ("1.5", "KWD", 1_500, "1.500 KWD"),
        ("-0.99", "EUR", -99, "-0.99 EUR"),
    ],
)
def test_a_foreign_amount_is_kept_in_its_smallest_unit(amount, currency, units, read):
    assert money.minor_units(Decimal(amount), currency) == units
    assert money.foreign_text(units, currency) == read


@pytest.mark.parametrize(
    ("amount", "currency"), [("0.5", "JPY"), ("1.005", "EUR"), ("1.2345", "KWD")]
)
def test_what_is_finer_than_the_currency_allows_is_no_amount(amount, currency):
    with pytest.raises(money.InvalidAmount, match="finer"):
        money.minor_units(Decimal(amount), currency)


@pytest.mark.parametrize(
    ("amount", "currency", "text"), [("0.5", "JPY", "1"), ("-2.005", "EUR", "-2.01")]
)
def test_a_converted_amount_is_rounded_to_its_currency(amount, currency, text):
    assert str(money.rounded(Decimal(amount), currency)) == text

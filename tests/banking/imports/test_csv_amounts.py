import re
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banking.imports.csv_amounts import AmountFormat
from banking.imports.transactions import InvalidField

AMERICAN = AmountFormat(thousands=",")
GERMAN = AmountFormat(decimal=",", thousands=".")
PLAIN = AmountFormat()
CENTS = st.integers(-(10**13), 10**13)
SEPARATORS = [(".", ","), (",", "."), (".", ""), (",", ""), (",", " "), (".", "'"), (",", "\xa0")]


def written(cents, decimal, thousands):
    whole, rest = divmod(abs(cents), 100)
    return f"{whole:,}".replace(",", thousands) + f"{decimal}{rest:02}"


@pytest.mark.parametrize(
    ("text", "cents"),
    [
        ("1234.5", 123450), ("1,234.50", 123450), ("-1,234.50", -123450), ("$5", 500),
        ("-$5.00", -500), ("$-5.00", -500), ("(5.00)", -500), ("($1,005.00)", -100500),
        ("5.00-", -500), ("+5.00", 500), ("\u22125.00", -500), (".5", 50), ("5.", 500),
        ("5.0000", 500), ("0.00", 0), ("-0", 0), ("999,999,999.99", 99999999999),
    ],
)  # fmt: skip
def test_an_amount_is_read_in_the_ways_banks_write_it(text, cents):
    assert AMERICAN.cents(text) == cents


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "-", "$", ".", "()", "1,23", "1,2345", ",123", "12,34.5", "1.234,50", "1 234",
        "1.005", "--5", "-5-", "(-5)", "(5", "5)", "5e3", "NaN", "Infinity", "0x10", "1_000",
        "١٢", "=1+1", "5 EUR", "1.2.3", "5.0\n0",
    ],
)  # fmt: skip
def test_an_amount_that_could_mean_something_else_is_refused(text):
    with pytest.raises(InvalidField, match="amount"):
        AMERICAN.cents(text)


def test_a_comma_is_no_thousand_where_the_mapping_has_none():
    with pytest.raises(InvalidField):
        PLAIN.cents("1,234")


def test_a_german_amount_has_them_the_other_way_around():
    assert GERMAN.cents("-1.234,5") == -123450


@given(cents=CENTS, separators=st.sampled_from(SEPARATORS), style=st.sampled_from(["-", "(", "+-"]))
def test_what_was_written_is_read_to_the_cent(cents, separators, style):
    text = written(cents, *separators)
    if cents < 0:
        text = {"-": f"-{text}", "(": f"({text})", "+-": f"{text}-"}[style]
    elif style == "+-":
        text = f"+{text}"

    assert AmountFormat(decimal=separators[0], thousands=separators[1]).cents(text) == cents


@given(text=st.text(st.sampled_from("0123456789.,-+()$ '"), max_size=12))
def test_whatever_is_read_has_the_digits_of_the_text(text):
    try:
        cents = AMERICAN.cents(text)
    except InvalidField:
        return

    whole, _, fraction = re.sub(r"[^0-9.]", "", text).partition(".")
    assert abs(cents) == int((whole or "0") + (fraction + "00")[:2])
    assert fraction[2:].strip("0") == ""


@given(text=st.text())
def test_any_other_text_is_refused_and_nothing_else_is_raised(text):
    with suppress(InvalidField):
        assert isinstance(GERMAN.cents(text), int)

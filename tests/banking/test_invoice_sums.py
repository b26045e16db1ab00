"""Invoices add up to the cent."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banking.choices import DiscountType
from banking.invoice_sums import Discount, InvoiceSums, Line
from banking.money import InvalidAmount

PERCENT, AMOUNT = DiscountType


def test_lines_discounts_and_tax_add_up():
    sums = InvoiceSums(
        lines=[Line("Design", 9_550, Decimal("2.5")), Line("Fonts", 3_000)],
        discounts=[
            Discount("Loyal", PERCENT, Decimal("10.5")),
            Discount("Coupon", AMOUNT, Decimal(5)),
        ],
        sales_tax_percent=Decimal("8.875"),
    )

    assert [line.amount_cents for line in sums.lines] == [23_875, 3_000]
    assert sums.subtotal_cents == 26_875
    assert sums.discount_cents == 2_822 + 500
    assert sums.sales_tax_cents == 2_090  # 8.875 % of 235.53 is 20.9033


@pytest.mark.parametrize(
    ("quantity", "price", "amount"), [("0.5", 1, 1), ("0.333", 100, 33), ("1.005", 100, 101)]
)
def test_half_a_cent_of_a_line_is_rounded_up(quantity, price, amount):
    assert Line("Work", price, Decimal(quantity)).amount_cents == amount


@given(
    lines=st.lists(
        st.builds(
            Line,
            name=st.just("Work"),
            unit_price_cents=st.integers(0, 10**9),
            quantity=st.decimals("0.001", "99999", places=3),
        ),
        min_size=1,
        max_size=5,
    ),
    percents=st.lists(st.decimals("0.01", "49.99", places=2), max_size=2),
    tax=st.decimals(0, 20, places=3),
)
def test_the_sums_never_break_the_constraints(lines, percents, tax):
    discounts = [Discount("Some", PERCENT, percent) for percent in percents]

    sums = InvoiceSums(lines, discounts, tax)

    assert 0 <= sums.discount_cents <= sums.subtotal_cents
    assert sums.sales_tax_cents >= 0


def test_a_discount_of_half_a_cent_is_refused():
    with pytest.raises(InvalidAmount):
        Discount("Some", AMOUNT, Decimal("0.005")).amount_cents(1_000)

import re

import pytest

from banking.mcc import DESCRIPTIONS, describe


@pytest.mark.parametrize(
    ("mcc", "description"),
    [("5462", "Bakeries"), ("5812", "Eating places and restaurants"), ("0001", ""), ("", "")],
)
def test_a_code_says_what_is_sold(mcc, description):
    assert describe(mcc) == description


def test_each_code_has_four_digits_and_a_description_of_its_own():
    assert all(re.fullmatch(r"[0-9]{4}", mcc) for mcc in DESCRIPTIONS)
    assert len(set(DESCRIPTIONS.values())) == len(DESCRIPTIONS) > 120


def test_the_table_is_in_order():
    assert list(DESCRIPTIONS) == sorted(DESCRIPTIONS)

import re

import pytest
from django.utils import translation

from banking import mcc as mcc_module
from banking.mcc import CATEGORIES, describe
from foundation.code_lists import NamedCodes


@pytest.mark.parametrize(
    ("mcc", "description"),
    [("5462", "Bakeries"), ("5812", "Eating places and restaurants"), ("0001", ""), ("", "")],
)
def test_a_code_says_what_is_sold(mcc, description):
    assert describe(mcc) == description


def test_a_column_of_the_file_has_the_descriptions_in_a_further_language(tmp_path, monkeypatch):
    path = tmp_path / "merchant_categories.csv"
    path.write_text("code,name,name_pt-br\n5462,Bakeries,Padarias\n", encoding="utf-8")
    monkeypatch.setattr(mcc_module, "CATEGORIES", NamedCodes(path, other_names={}))

    with translation.override("pt-br"):
        assert (describe("5462"), describe("0001")) == ("Padarias", "")
    assert describe("5462") == "Bakeries"


def test_each_code_has_four_digits_and_a_description_of_its_own():
    assert all(re.fullmatch(r"[0-9]{4}", mcc) for mcc in CATEGORIES.codes)
    assert len(set(CATEGORIES.codes.values())) == len(CATEGORIES.codes) > 120


def test_the_table_is_in_order():
    assert list(CATEGORIES.codes) == sorted(CATEGORIES.codes)

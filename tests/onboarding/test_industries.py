"""The industries of NAICS."""

import pytest
from django.utils import translation

from onboarding.industries import (
    industry_name,
    is_in_sector,
    is_industry,
    read_spanish_names,
    read_titles,
)


@pytest.mark.parametrize(
    ("language", "name"), [("en", "Manufacturing"), ("es", "Industria manufacturera")]
)
def test_a_sector_is_named_in_the_readers_language(language, name):
    with translation.override(language):
        assert industry_name("32") == name


def test_common_industries_have_a_spanish_name_for_readers_of_spanish():
    with translation.override("es"):
        assert industry_name("722330") == "Camiones de comida y puestos ambulantes"
        assert industry_name("111110") == "Soybean Farming"
    assert industry_name("722330") == "Mobile Food Services"


def test_spanish_names_are_of_codes_of_naics_and_differ():
    names = read_spanish_names()

    assert names.keys() <= read_titles().keys()
    assert len(set(names.values())) == len(names) > 150


def test_all_industries_have_titles():
    titles = read_titles()

    assert len([code for code in titles if len(code) == 6]) == 1012
    assert titles["311811"] == industry_name("311811") == "Retail Bakeries"
    assert industry_name("999999") == industry_name("99") == ""


@pytest.mark.parametrize(
    ("code", "expected"),
    [("311811", True), ("3118", True), ("32", True), ("999999", False), ("34", False), ("", False)],
)
def test_only_codes_of_naics_are_industries(code, expected):
    assert is_industry(code) is expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [("11", True), ("32", True), ("332710", True), ("92", True), ("34", False), ("", False)],
)
def test_a_code_begins_with_the_number_of_a_sector(code, expected):
    assert is_in_sector(code) is expected

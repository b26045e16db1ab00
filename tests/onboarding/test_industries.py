"""The industries of NAICS."""

import pytest
from django.utils import translation

from onboarding import industry_search
from onboarding.industries import (
    SECTORS,
    industry_name,
    is_in_sector,
    is_industry,
    is_named_in_english,
    read_names,
    read_titles,
)
from onboarding.industry_search import Industry, search_industries


@pytest.fixture(autouse=True)
def _forget_names():
    """Forget the names that were read from the files of a test."""
    yield
    read_names.cache_clear()
    industry_search._read_index_of.cache_clear()  # noqa: SLF001 - a cache of this module


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
    names = read_names("es")
    sectors = {one["first"] for one in SECTORS}
    industries = {code: name for code, name in names.items() if len(code) == 6}

    assert names.keys() - industries.keys() == sectors
    assert industries.keys() <= read_titles().keys()
    assert len(set(industries.values())) == len(industries) > 150


def test_a_file_names_the_industries_in_a_further_language(tmp_path, monkeypatch, settings):
    settings.LANGUAGES = [*settings.LANGUAGES, ("pt-br", "Português")]
    file = tmp_path / "industry_names_pt-br.csv"
    file.write_text("code,name\n31,Indústria\n811111,Oficina mecânica\n", encoding="utf-8")
    monkeypatch.setattr("onboarding.industries.DATA", tmp_path)

    with translation.override("pt-br"):
        assert industry_name("32") == "Indústria"
        assert search_industries("oficina")[0] == Industry("811111", "Oficina mecânica")
        assert is_named_in_english("311811")


def test_a_file_has_the_words_of_a_further_language(tmp_path, monkeypatch, settings):
    settings.LANGUAGES = [("pt-br", "Português")]
    file = tmp_path / "industry_words_pt-br.csv"
    file.write_text("word,means\nconserto,automotive repair\neu,\n", encoding="utf-8")
    monkeypatch.setattr("onboarding.industry_search.DATA", tmp_path)

    assert search_industries("eu conserto")[0].code == "811111"
    assert search_industries("eu") == []


def test_words_of_other_letters_are_searched(tmp_path, monkeypatch, settings):
    settings.LANGUAGES = [("ru", "Русский")]
    file = tmp_path / "industry_names_ru.csv"
    file.write_text("code,name\n811111,Ремонт машин\n", encoding="utf-8")
    monkeypatch.setattr("onboarding.industries.DATA", tmp_path)

    assert [one.code for one in search_industries("ремонт")] == ["811111"]


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

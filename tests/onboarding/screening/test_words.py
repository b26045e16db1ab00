"""Words of names: other scripts, sounds, and tables of variants."""

import pytest

from onboarding.screening import words


@pytest.mark.parametrize(
    ("name", "normal"),
    [
        ("Евгений Иванов", "EVGENIY IVANOV"),
        ("李晓明", "LI XIAO MING"),
        ("عبد الرحمن الحسيني", "ABDRHMN HSYNY"),
        ("Abd al-Rahman al-Masri", "ABDRAHMAN AL MASRI"),
        ("Abdulrahman Masri", "ABDRAHMAN MASRI"),
        ("Abdullah Abd", "ABDULLAH ABD"),
    ],
)
def test_names_in_other_scripts_and_compounds_have_one_form(name, normal):
    assert words.normalise(name, is_person=True) == normal


def test_a_branch_and_a_legal_form_go_from_the_end_of_a_company():
    assert words.normalise("Dubai Star Trading LLC Dubai Branch", is_person=False) == (
        "DUBAI STAR TRADING"
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SHCHERBAKOV", "SCHTSCHERBAKOW"),
        ("YUSUF", "JUSSUF"),
        ("KHALID", "HALID"),
        ("MUHAMMAD", "MHMD"),
        ("QASIM", "KASSEM"),
        ("HISHAM", "HSHM"),
    ],
)
def test_spellings_of_a_sound_have_a_key_in_common(one, other):
    assert words.sound_keys(one) & words.sound_keys(other)


def test_other_names_have_none():
    assert not words.sound_keys("IVANOV") & words.sound_keys("PETROV")


def test_forms_of_a_name_are_known_on_both_sides_and_among_each_other():
    variants = words.read_variants()

    assert "EUGENE" in variants["YEVGENIY"]
    assert "YEVGENIY" in variants["EUGENE"]
    assert "SOLEIMAN" in variants["SULAYMAN"]
    assert "BILL" in variants["WILLIAM"]


def test_words_of_companies_with_one_meaning_are_synonyms():
    assert "COMMERCE" in words.read_synonyms()["TRADING"]

"""The search of an industry by plain words."""

import pytest
from django.utils import translation

from onboarding.industry_search import AT_MOST, search_industries


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("bakery", "311811"),
        ("Panadería", "311811"),
        ("bakeries", "311811"),
        ("bread", "311811"),
        ("sweet bread", "311811"),
        ("pan", "311811"),
        ("pan dulce", "311811"),
        ("panaderías", "311811"),
        ("repostería", "311811"),
        ("bread manufacturing", "311812"),
        ("food truck", "722330"),
        ("flowers", "459310"),
        ("toys", "459120"),
        ("trucks", "484110"),
        ("web design", "541511"),
        ("hair salon", "812112"),
        ("plumber", "238220"),
        ("lawyer", "541110"),
        ("uñas", "812113"),
        ("taller mecánico", "811111"),
        ("tienda de ropa", "458110"),
        ("Gym!", "713940"),
        ("house cleaning", "561720"),
        ("casino", "713210"),
        ("camión de comida", "722330"),
        ("limpieza de casas", "561720"),
        ("tienda de abarrotes", "445110"),
        ("bienes raíces", "531210"),
        ("tablaroca", "238310"),
    ],
)
def test_plain_words_find_an_industry(words, code):
    assert search_industries(words)[0].code == code


@pytest.mark.parametrize("words", ["bread", "pan dulce", "panadería", "cake", "bakery"])
def test_bakeries_come_before_those_who_sell_or_build_for_bakeries(words):
    first, second, *_ = search_industries(words)

    assert {first.code, second.code} == {"311811", "311812"}


def test_wholesalers_and_factories_come_first_for_their_own_words():
    assert search_industries("furniture wholesale")[0].code == "423210"
    assert search_industries("shoe manufacturing")[0].code.startswith("316")


def test_what_an_industry_leaves_out_does_not_find_it():
    assert "311520" not in [one.code for one in search_industries("bakery")]


def test_an_entry_of_the_index_says_why_an_industry_is_found():
    [found, *_] = search_industries("tattoo")

    assert (found.code, found.entry) == ("812199", "Tattoo parlors")


def test_there_are_never_many():
    assert len(search_industries("farming manufacturing retail services")) == AT_MOST


@pytest.mark.parametrize("words", ["", "xyzzy", "🧁", "' OR 'x'='x", "the and of" * 500])
def test_nonsense_finds_nothing_and_breaks_nothing(words):
    assert search_industries(words) == []


def test_readers_of_spanish_see_spanish_names_of_common_industries():
    with translation.override("es"):
        found, *_ = search_industries("tattoo")

    assert (found.title, found.entry) == ("Masajes, tatuajes y otros cuidados personales", "")

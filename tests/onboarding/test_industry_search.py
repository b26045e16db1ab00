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
        ("bake shop", "311811"),
        ("coffee shop", "722515"),
        ("flower shop", "459310"),
        ("auto repair shop", "811111"),
        ("body shop", "811121"),
        ("barber shop", "812111"),
        ("pawn shop", "522299"),
    ],
)
def test_plain_words_find_an_industry(words, code):
    assert search_industries(words)[0].code == code


# What people would write of their business, the code of NAICS, and the worst place in the list.
PHRASES = [
    ("I bake bread and cakes", "311811", 1),
    ("I cut hair at home", "812112", 1),
    ("we fix cars", "811111", 1),
    ("I clean houses", "561720", 1),
    ("we mow lawns and trim trees", "561730", 1),
    ("I walk dogs", "812910", 1),
    ("a small coffee shop", "722515", 1),
    ("I drive a taxi", "485310", 1),
    ("I take photos at weddings", "541921", 1),
    ("I paint houses", "238320", 1),
    ("we sell flowers", "459310", 1),
    ("our Mexican restaurant", "722511", 1),
    ("I translate documents", "541930", 1),
    ("we rent out apartments", "531110", 1),
    ("I sell houses", "531210", 1),
    ("we brew beer", "312120", 1),
    ("selling used cars", "441120", 1),
    ("I fix roofs", "238160", 1),
    ("tutoring kids in math", "611691", 1),
    ("I sell clothes online", "458110", 3),
    ("I teach piano to children", "611610", 3),
    ("we build websites for small companies", "541511", 3),
    ("hauling freight with one truck", "484110", 3),
    ("I look after children while their parents work", "624410", 3),
    ("bookkeeping and tax returns for my neighbors", "541219", 3),
    ("I make and sell candles", "339999", 3),
    ("I repair phones and computers", "811210", 3),
    ("we install solar panels", "238210", 3),
    ("I keep bees and sell honey", "112910", 3),
    ("fixing bikes", "811490", 3),
    ("arreglo carros", "811111", 1),
    ("hago pasteles y pan", "311811", 1),
    ("limpio casas", "561720", 1),
    ("corto el pelo", "812112", 1),
    ("cuido niños", "624410", 1),
    ("vendo tacos en la calle", "722330", 3),
]


@pytest.mark.parametrize(("words", "code", "place"), PHRASES)
def test_plain_sentences_find_an_industry(words, code, place):
    assert code in [one.code for one in search_industries(words)[:place]]


@pytest.mark.parametrize("words", ["bread", "pan dulce", "panadería", "cake", "bakery"])
def test_bakeries_come_before_those_who_sell_or_build_for_bakeries(words):
    first, second, *_ = search_industries(words)

    assert {first.code, second.code} == {"311811", "311812"}


def test_wholesalers_and_factories_come_first_for_their_own_words():
    assert search_industries("furniture wholesale")[0].code == "423210"
    assert search_industries("shoe manufacturing")[0].code.startswith("316")


def test_what_an_industry_leaves_out_does_not_find_it():
    assert "311520" not in [one.code for one in search_industries("bakery")]


@pytest.mark.parametrize("words", ["bake shop", "flower shop", "gift shops", "toy shop"])
def test_a_shop_finds_no_barber(words):
    assert "812111" not in [one.code for one in search_industries(words)]


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

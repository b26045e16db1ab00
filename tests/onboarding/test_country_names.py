"""Countries by name, in English and Spanish."""

import pytest
from django.utils import translation

from onboarding.country_names import country_choices, country_name
from onboarding.places import COUNTRIES


@pytest.mark.parametrize(
    ("language", "code", "name"),
    [
        ("en", "ES", "Spain"),
        ("es", "ES", "España"),
        ("es", "AD", "Andorra"),
        ("es", "US", "Estados Unidos"),
    ],
)
def test_a_country_is_named_in_the_readers_language(language, code, name):
    with translation.override(language):
        assert country_name(code) == name


@pytest.mark.parametrize("language", ["en", "es"])
def test_every_country_has_a_name(language):
    with translation.override(language):
        choices = country_choices()

    assert {code for code, _ in choices} == set(COUNTRIES)
    assert all(name and "*" not in name for _, name in choices)


def test_accents_do_not_count_in_the_order():
    with translation.override("es"):
        names = [name for _, name in country_choices()]

    assert names.index("Afganistán") < names.index("Albania")
    assert names.index("Bélgica") < names.index("Brasil")

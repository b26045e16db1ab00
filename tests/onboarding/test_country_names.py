"""Countries by name, in English and Spanish."""

import subprocess
import sys

import pytest
from django.utils import translation

from onboarding.country_names import COUNTRY_NAMES
from onboarding.geography import COUNTRIES


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
        assert COUNTRY_NAMES.name(code) == name


@pytest.mark.parametrize("language", ["en", "es"])
def test_every_country_has_a_name(language):
    names = COUNTRY_NAMES.list_names(language)

    assert {COUNTRY_NAMES.find(name) for name in names} == set(COUNTRIES)
    assert all(name and "*" not in name for name in names)


def test_accents_do_not_count_in_the_order():
    names = COUNTRY_NAMES.list_names("es")

    assert names.index("Afganistán") < names.index("Albania")
    assert names.index("Bélgica") < names.index("Brasil")


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        *((name, "US") for name in ("US", "u.s.", "USA", "estados unidos", " United  States ")),
        *((name, "GB") for name in ("UK", "gb", "England", "reino unido")),
        ("cote d'ivoire", "CI"),
        ("Turkey", "TR"),
        ("Atlantis", ""),
        ("", ""),
    ],
)
def test_a_country_is_found_by_what_people_type(typed, code):
    assert COUNTRY_NAMES.find(typed) == code


def test_names_are_read_without_the_geographic_data_of_phonenumbers():
    """That package's data take a hundred MiB and a third of a second of each process."""
    program = "import django; django.setup(); import config.wsgi, sys; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    ).stdout.split()

    assert "onboarding.country_names" in loaded
    assert "phonenumbers.geodata" not in loaded

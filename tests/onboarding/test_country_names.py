"""Countries by name, in English and Spanish."""

import subprocess
import sys

import pytest
from django.utils import translation

from onboarding.country_names import country_choices, country_name
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


def test_names_are_read_without_the_geographic_data_of_phonenumbers():
    """That package's data take a hundred MiB and a third of a second of each process."""
    program = "import django; django.setup(); import config.wsgi, sys; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    ).stdout.split()

    assert "onboarding.country_names" in loaded
    assert "phonenumbers.geodata" not in loaded

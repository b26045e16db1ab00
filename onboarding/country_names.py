"""Country names: in the reader's language."""

import unicodedata

from django.utils.translation import get_language

from foundation.code_lists import read_codes
from onboarding.geography import COUNTRIES, DATA

NAMES = {"en": COUNTRIES, "es": read_codes(DATA / "countries.csv", "name_es")}


def country_name(code: str) -> str:
    """Return the name of a country; in English if there is none in the reader's language."""
    return NAMES.get(get_language() or "en", COUNTRIES)[code]


def country_choices() -> list[tuple[str, str]]:
    """Return codes and names, sorted by name."""
    named = [(code, country_name(code)) for code in COUNTRIES]
    return sorted(named, key=lambda item: _plain(item[1]))


def _plain(name: str) -> str:
    """Return a name without accents, which do not count in the sort order."""
    decomposed = unicodedata.normalize("NFD", name)
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign)).casefold()

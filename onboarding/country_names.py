"""Names of countries in the reader's language."""

import unicodedata

from django.utils.translation import get_language
from phonenumbers.geodata.locale import LOCALE_DATA

from onboarding.places import COUNTRIES

ALIAS = "*"  # marks a name that is another language's, too


def country_name(code: str) -> str:
    """Return the name of a country; in English by our own list.

    Source: Unicode CLDR, as the package phonenumbers carries it.
    """
    language = get_language() or "en"
    if language == "en":
        return COUNTRIES[code]
    names = LOCALE_DATA[code]
    name = names.get(language, COUNTRIES[code])
    return names[name.removeprefix(ALIAS)] if name.startswith(ALIAS) else name


def country_choices() -> list[tuple[str, str]]:
    """Return codes and names, in the order of the names."""
    named = [(code, country_name(code)) for code in COUNTRIES]
    return sorted(named, key=lambda item: _plain(item[1]))


def _plain(name: str) -> str:
    """Return a name without accents: they do not count in the alphabet."""
    decomposed = unicodedata.normalize("NFD", name)
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign)).casefold()

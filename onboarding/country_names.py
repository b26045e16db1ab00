"""Country names: in the reader's language."""

import unicodedata

from django.utils.translation import get_language
from phonenumbers.geodata.locale import LOCALE_DATA

from onboarding.places import COUNTRIES

ALIAS = "*"  # prefix of an entry that refers to another language's entry


def country_name(code: str) -> str:
    """Return the name of a country; in English from COUNTRIES.

    Source: Unicode CLDR, from the package phonenumbers.
    """
    language = get_language() or "en"
    if language == "en":
        return COUNTRIES[code]
    names = LOCALE_DATA[code]
    name = names.get(language, COUNTRIES[code])
    return names[name.removeprefix(ALIAS)] if name.startswith(ALIAS) else name


def country_choices() -> list[tuple[str, str]]:
    """Return codes and names, sorted by name."""
    named = [(code, country_name(code)) for code in COUNTRIES]
    return sorted(named, key=lambda item: _plain(item[1]))


def _plain(name: str) -> str:
    """Return a name without accents, which do not count in the sort order."""
    decomposed = unicodedata.normalize("NFD", name)
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign)).casefold()

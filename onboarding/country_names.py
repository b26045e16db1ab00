"""Country names: in the reader's language, and found by typed words."""

import unicodedata
from functools import cache

from django.utils.translation import get_language

from foundation.code_lists import read_codes, read_rows
from onboarding.geography import COUNTRIES, DATA

FILE = DATA / "countries.csv"  # beside `name`, a column for each further language: `name_es`
LANGUAGES = [name.removeprefix("name_") for name in read_rows(FILE)[0] if name[:5] == "name_"]
NAMES = {"en": COUNTRIES} | {one: read_codes(FILE, f"name_{one}") for one in LANGUAGES}
OTHER_NAMES = {  # beside codes and names
    **dict.fromkeys(["usa", "us of a", "united states of america", "america", "eeuu"], "US"),
    **dict.fromkeys(["uk", "great britain", "england", "scotland", "wales", "inglaterra"], "GB"),
    **dict.fromkeys(["holland", "holanda"], "NL"),
    **dict.fromkeys(["korea", "corea", "republic of korea"], "KR"),
    **dict.fromkeys(["turkey"], "TR"),
    **dict.fromkeys(["ivory coast"], "CI"),
    **dict.fromkeys(["czech republic", "republica checa"], "CZ"),
    **dict.fromkeys(["uae"], "AE"),
    **dict.fromkeys(["burma"], "MM"),
    **dict.fromkeys(["mainland china", "prc"], "CN"),
}


def country_name(code: str) -> str:
    """Return the name of a country; in English if there is none in the reader's language."""
    return NAMES.get(get_language() or "en", COUNTRIES)[code]


def list_country_names(language: str) -> list[str]:
    """Return the names of all countries in a language, sorted."""
    return sorted(NAMES.get(language, COUNTRIES).values(), key=_plain)


def find_country(text: str) -> str:
    """Return the code of a country by its code or name in any language; empty if none fits."""
    return _codes_by_name().get(_plain(text), "")


@cache
def _codes_by_name() -> dict[str, str]:
    named = {_plain(name): code for names in NAMES.values() for code, name in names.items()}
    return {**OTHER_NAMES, **named, **{code.casefold(): code for code in COUNTRIES}}


def _plain(name: str) -> str:
    """Return a name in lower case without accents and points, and with single spaces."""
    decomposed = unicodedata.normalize("NFD", name.replace(".", ""))
    letters = "".join(sign for sign in decomposed if not unicodedata.combining(sign))
    return " ".join(letters.casefold().split())

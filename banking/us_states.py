"""US states by their two-letter codes, with their names in the reader's language."""

import unicodedata
from functools import cache
from pathlib import Path
from typing import Final

from django.utils.translation import get_language

from foundation.code_lists import read_codes, read_rows

FILE: Final = Path(__file__).parent / "data" / "us_states.csv"
STATES: Final = read_codes(FILE)
LANGUAGES = [name.removeprefix("name_") for name in read_rows(FILE)[0] if name[:5] == "name_"]
NAMES: Final = {"en": STATES} | {one: read_codes(FILE, f"name_{one}") for one in LANGUAGES}


def state_name(code: str) -> str:
    """Return the name of a state, in English if there is none in the reader's language.

    A code that is no state's stays as it is.
    """
    return NAMES.get(get_language() or "en", STATES).get(code, code)


def list_state_names(language: str) -> list[str]:
    """Return the names of all states in a language, sorted."""
    return sorted(NAMES.get(language, STATES).values(), key=_plain)


def find_state(text: str) -> str:
    """Return the code of a state by its code or name in any language; empty if none fits."""
    return _codes_by_name().get(_plain(text), "")


@cache
def _codes_by_name() -> dict[str, str]:
    named = {_plain(name): code for names in NAMES.values() for code, name in names.items()}
    return {"washington dc": "DC", **named, **{code.casefold(): code for code in STATES}}


def _plain(name: str) -> str:
    """Return a name in lower case without accents, points and commas, and with single spaces."""
    decomposed = unicodedata.normalize("NFD", name.replace(".", "").replace(",", " "))
    letters = "".join(sign for sign in decomposed if not unicodedata.combining(sign))
    return " ".join(letters.casefold().split())

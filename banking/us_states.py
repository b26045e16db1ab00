"""US states by their two-letter codes, with their names in the reader's language."""

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


def list_states() -> list[tuple[str, str]]:
    """Return all states as code and name, by their names in the reader's language."""
    return sorted(((code, state_name(code)) for code in STATES), key=lambda item: item[1])

"""Countries by their two-letter codes, and the states of ZIP codes."""

from pathlib import Path
from typing import Final

from foundation.code_lists import read_codes, read_rows

DATA = Path(__file__).parent / "data"
COUNTRIES: Final = read_codes(DATA / "countries.csv")
US_TERRITORIES: Final = frozenset({"AS", "GU", "MP", "PR", "VI"})  # also countries in ISO 3166
MILITARY: Final = frozenset({"AA", "AE", "AP"})  # mail of the armed forces abroad


def _read_zip_codes() -> dict[str, frozenset[str]]:
    """Return the USPS codes of the states of ZIP codes, by the first three digits of the codes."""
    return {
        f"{digits:03}": frozenset(row["states"].split())
        for row in read_rows(DATA / "zip_codes.csv")
        for digits in range(int(row["first"]), int(row["last"]) + 1)
    }


ZIP_STATES: Final = _read_zip_codes()


def may_be_in(zip_code: str, state: str) -> bool:
    """Return whether a ZIP code may be in a state, by its first three digits.

    False for first digits that ZIP_STATES does not know.
    """
    return state in ZIP_STATES.get(zip_code[:3], frozenset())

"""Countries and US states by their two-letter codes."""

from pathlib import Path
from typing import Final

from foundation.code_lists import read_codes

DATA = Path(__file__).parent / "data"
COUNTRIES: Final = read_codes(DATA / "countries.csv")
STATES: Final = read_codes(DATA / "us_states.csv")
US_TERRITORIES: Final = frozenset({"AS", "GU", "MP", "PR", "VI"})  # also countries in ISO 3166

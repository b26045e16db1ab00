"""US states by their two-letter codes, with their names in the reader's language."""

from pathlib import Path
from typing import Final

from foundation.code_lists import NamedCodes

US_STATES: Final = NamedCodes(
    Path(__file__).parent / "data" / "us_states.csv", other_names={"washington dc": "DC"}
)
STATES: Final = US_STATES.codes


def state_name(code: str) -> str:
    """Return the name of a state in the reader's language, or an unknown code unchanged."""
    return US_STATES.name(code) if code in STATES else code

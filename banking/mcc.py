"""Merchant category codes (ISO 18245): the goods or services that a merchant sells."""

from pathlib import Path

from foundation.code_lists import read_codes

DESCRIPTIONS = read_codes(Path(__file__).parent / "data" / "merchant_categories.csv")


def describe(mcc: str) -> str:
    """Return the description of a code, or an empty text for a code that is not in the list."""
    return DESCRIPTIONS.get(mcc, "")

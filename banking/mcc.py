"""Merchant category codes (ISO 18245): the goods or services that a merchant sells."""

from pathlib import Path

from foundation.code_lists import NamedCodes

CATEGORIES = NamedCodes(Path(__file__).parent / "data" / "merchant_categories.csv", other_names={})


def describe(mcc: str) -> str:
    """Return the description of a code, in English as the list is; empty for an unknown code."""
    return CATEGORIES.name(mcc) if mcc in CATEGORIES.codes else ""

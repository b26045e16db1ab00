"""Industries: the sectors of NAICS, the North American Industry Classification System."""

from pathlib import Path

from django.utils.translation import get_language

from foundation.code_lists import read_rows

SECTORS = read_rows(Path(__file__).parent / "data" / "industries.csv")


def list_sectors() -> list[tuple[str, str]]:
    """Return the first number of each sector and its name in the current language."""
    language = get_language() or "en"
    return [(sector["first"], sector.get(language, sector["en"])) for sector in SECTORS]


def is_in_sector(code: str) -> bool:
    """Return whether the first two digits of a NAICS code are those of a sector."""
    return any(sector["first"] <= code[:2] <= sector["last"] for sector in SECTORS)

"""Industries: codes and names of NAICS, the North American Industry Classification System."""

from functools import cache
from pathlib import Path

from django.utils.translation import get_language

from foundation.code_lists import read_codes, read_rows

DATA = Path(__file__).parent / "data"
NAICS = DATA / "naics_2022.csv.gz"  # read when it is needed: 20,000 entries of an index
SECTORS = read_rows(DATA / "industries.csv")


def is_in_sector(code: str) -> bool:
    """Return whether the first two digits of a code are a sector of NAICS; the rest is not read."""
    return any(sector["first"] <= code[:2] <= sector["last"] for sector in SECTORS)


def is_industry(code: str) -> bool:
    """Return whether NAICS has a code; each number of a sector counts, as 31, 32 and 33."""
    return code in read_titles() or (len(code) == 2 and is_in_sector(code))


def industry_name(code: str) -> str:
    """Return the name of an industry; empty if unknown.

    Sectors and common industries have a name in the reader's language, others an English title.
    """
    if len(code) == 2:
        sectors = (one for one in SECTORS if one["first"] <= code <= one["last"])
        sector = next(sectors, None)
        return (translated_name(sector["first"]) or sector["name"]) if sector else ""
    return translated_name(code) or read_titles().get(code, "")


def is_named_in_english(code: str) -> bool:
    """Return whether readers of another language are shown the English title of an industry."""
    is_reader_of_english = (get_language() or "en") == "en"
    return code in read_titles() and not is_reader_of_english and not translated_name(code)


def translated_name(code: str) -> str:
    """Return the name of a sector or a common industry in the reader's language, if translated.

    A sector with several two-digit codes is found by the first of them.
    """
    return read_names(get_language() or "en").get(code, "")


@cache
def read_names(language: str) -> dict[str, str]:
    """Return the names of sectors, and of common industries of six digits, by their codes.

    Empty for a language without a file of names.
    """
    path = DATA / f"industry_names_{language}.csv"
    return read_codes(path) if path.exists() else {}


@cache
def read_titles() -> dict[str, str]:
    """Return the English titles of all industries, of two to six digits, by their codes."""
    return {row["code"]: row["title"] for row in read_rows(NAICS)}

"""Read lists of codes from CSV files, whose comments name the source and the date."""

import csv
import gzip
import unicodedata
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from django.utils.translation import get_language


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file by column name; a `.gz` file is decompressed.

    Lines that begin with # are comments.
    """
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    lines = text.decode().splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def read_codes(path: Path, column: str = "name") -> dict[str, str]:
    """Return the values of a column by the column `code`, in the order of the file."""
    return {row["code"]: row[column] for row in read_rows(path)}


class NamedCodes:
    """The codes of a CSV file with their names.

    The column `name` has the English names, a column for each further language begins with
    `name_`. `other_names` are codes by names that no column has, as `plain` returns them.
    """

    def __init__(self, path: Path, other_names: Mapping[str, str]) -> None:
        rows = read_rows(path)
        self.codes = {row["code"]: row["name"] for row in rows}
        self.names = {"en": self.codes} | {
            column.removeprefix("name_"): {row["code"]: row[column] for row in rows}
            for column in rows[0]
            if column.startswith("name_")
        }
        self._other_names = other_names

    def name(self, code: str) -> str:
        """Return the name of a code in the reader's language, else in English.

        Raises: KeyError for an unknown code.
        """
        return self.names.get(get_language() or "en", self.codes)[code]

    def list_names(self, language: str) -> list[str]:
        """Return the names of all codes in a language, sorted; in English if the file lacks it."""
        return sorted(self.names.get(language, self.codes).values(), key=plain)

    def find(self, text: str) -> str:
        """Return the code that a text is or names, in any language and case; empty for others."""
        return self._codes_by_name.get(plain(text), "")

    @cached_property
    def _codes_by_name(self) -> dict[str, str]:
        named = {plain(name): code for names in self.names.values() for code, name in names.items()}
        return {**self._other_names, **named, **{code.casefold(): code for code in self.codes}}


def plain(name: str) -> str:
    """Return a name in lower case without accents, points and commas, and with single spaces."""
    decomposed = unicodedata.normalize("NFD", name.replace(".", "").replace(",", " "))
    letters = "".join(sign for sign in decomposed if not unicodedata.combining(sign))
    return " ".join(letters.casefold().split())

"""The names that the benchmark draws from, and romanizations of Russian names."""

import csv
from collections import defaultdict
from pathlib import Path

DATA = Path(__file__).parent / "data"
CYRILLIC = "абвгдеёжзийклмнопрстуфхцчшщъыьэюя"
LISTED = dict(
    zip(
        CYRILLIC,
        [
            "a",
            "b",
            "v",
            "g",
            "d",
            "e",
            "e",
            "zh",
            "z",
            "i",
            "y",
            "k",
            "l",
            "m",
            "n",
            "o",
            "p",
            "r",
            "s",
            "t",
            "u",
            "f",
            "kh",
            "ts",
            "ch",
            "sh",
            "shch",
            "-",
            "y",
            "-",
            "e",
            "yu",
            "ya",
        ],
        strict=True,
    )
)
GERMAN = LISTED | {"в": "w", "ж": "sch", "з": "s", "й": "j", "х": "ch", "ц": "z", "ч": "tsch"}  # noqa: RUF001 - Cyrillic is meant
GERMAN |= {"ш": "sch", "щ": "schtsch", "ю": "ju", "я": "ja"}
FRENCH = LISTED | {"ж": "j", "й": "i", "у": "ou", "ч": "tch", "ш": "ch", "щ": "chtch"}  # noqa: RUF001 - Cyrillic is meant
FRENCH |= {"ю": "iou", "я": "ia"}
SCHOLARLY = LISTED | {"ж": "zh", "й": "j", "х": "h", "ц": "c", "ё": "yo", "ю": "ju", "я": "ja"}  # noqa: RUF001 - Cyrillic is meant
OTHER_SCHEMES = (GERMAN, FRENCH, SCHOLARLY)


def read(name: str) -> list[dict[str, str]]:
    """Return the rows of a data file; its first line says source and date."""
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        next(file)
        return list(csv.DictReader(file))


def read_names() -> dict[tuple[str, str], list[str]]:
    """Return ordinary names by language and kind, in the order of the file."""
    names: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in read("names.csv"):
        names[row["language"], row["kind"]].append(row["name"])
    return names


def read_spellings(name: str) -> dict[str, list[tuple[str, list[str]]]]:
    """Return names in their own script with their spellings, by kind."""
    found: dict[str, list[tuple[str, list[str]]]] = defaultdict(list)
    for row in read(name):
        script = row.get("arabic") or row["characters"]
        found[row["kind"]].append((script, row["spellings"].split(";")))
    return found


def romanize(word: str, scheme: dict[str, str]) -> str:
    """Return a Russian word in Latin letters."""
    text = "".join(scheme.get(sign, sign) for sign in word.lower()).replace("-", "")
    if scheme is LISTED and text.startswith("e"):
        text = f"y{text}"
    return text.capitalize()

"""A list of politically exposed persons, in a CSV file of our own; docs/screening.md has its form.

The first line has the names of the columns. Cells with several values have semicolons between.
"""

from collections.abc import Mapping

from onboarding.country_names import COUNTRY_NAMES
from onboarding.entry_facts import (
    EntryFacts,
    ListedNumber,
    birth_of,
    describe_facts,
    unique,
)
from onboarding.screening.lists.reading import (
    INDIVIDUAL,
    BrokenFile,
    Files,
    ReadEntry,
    ReadList,
    clip,
    decode,
    read_day,
    read_number,
    read_rows,
)

NEEDED = ["id", "name"]
COLUMNS = [*NEEDED, "aliases", "birth_dates", "countries", "numbers", "position", "remarks"]
PROGRAM = "PEP"
Row = Mapping[str, str]


def read(files: Files) -> ReadList:
    """Read the persons of the list from the main file. Raises: BrokenFile, if empty, too."""
    file = files.main.name
    rows = read_rows(file, decode(files.read(files.main)))
    _, names = next(rows, (1, []))
    if missing := [name for name in NEEDED if name not in names]:
        raise BrokenFile(file, 1, f"there is no column {missing[0]}")
    if unknown := [name for name in names if name not in COLUMNS]:
        raise BrokenFile(file, 1, f"there is no such column: {unknown[0][:40]}")
    found = ReadList(file)
    for line, cells in rows:
        if not any(cells):
            continue
        if len(cells) != len(names):
            fault = f"there are {len(cells)} columns instead of {len(names)}"
            raise BrokenFile(file, line, fault)
        row = dict(zip(names, cells, strict=True))
        found.add(_read_entry(file, line, row), line)
    if not found.entries:
        raise BrokenFile(file, 1, "there is no entry")
    return found


def _read_entry(file: str, line: int, row: Row) -> ReadEntry:
    facts = EntryFacts(
        unique(_read_birth(file, line, text) for text in _values(row, "birth_dates")),
        unique(_read_country(file, line, text) for text in _values(row, "countries")),
        tuple(ListedNumber("Number", text) for text in _values(row, "numbers")),
    )
    return ReadEntry(
        number=read_number(file, line, row["id"]),
        name=row["name"],
        kind=INDIVIDUAL,
        programs=PROGRAM,
        title=clip(row.get("position", ""), "title"),
        remarks=describe_facts(facts, row.get("remarks", "")),
        aliases=[(name, False) for name in _values(row, "aliases")],
        facts=facts,
    )


def _values(row: Row, name: str) -> list[str]:
    return [part.strip() for part in row.get(name, "").split(";") if part.strip()]


def _read_birth(file: str, line: int, text: str) -> str:
    """Return a birth written as a year or as year-month-day. Raises: BrokenFile for other texts."""
    if day := read_day(text):
        return day.isoformat()
    if len(text) == 4 and text.isdecimal():
        return birth_of(int(text))
    raise BrokenFile(file, line, "a birth date is neither a year nor year-month-day")


def _read_country(file: str, line: int, text: str) -> str:
    if code := COUNTRY_NAMES.find(text):
        return code
    raise BrokenFile(file, line, f"{text[:40]} is no country")

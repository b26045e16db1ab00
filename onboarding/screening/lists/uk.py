"""The consolidated list of financial sanctions targets of the United Kingdom (OFSI), in CSV.

The first line has the date of the last update, the second the names of the columns. An entry has
one row or several, each with one of its names; they share the Group ID.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date

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
    VESSEL,
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

NEEDED = {"Name 6", "Name 1", "Group Type", "Alias Type", "Group ID"}
GIVEN = ["Name 1", "Name 2", "Name 3", "Name 4", "Name 5"]
ADDRESS = [*(f"Address {number}" for number in range(1, 7)), "Post/Zip Code", "Country"]
KINDS = {"individual": INDIVIDUAL, "ship": VESSEL}
NUMBERED = re.compile(r"\(\d+\)")  # (1) begins the first of several values
PRIMARY = "primary name"
WEAK = "low"
Row = Mapping[str, str]


def read(files: Files) -> ReadList:
    """Read the entries of the UK's list from the main file. Raises: BrokenFile, if empty, too."""
    file = files.main.name
    rows = read_rows(file, decode(files.read(files.main)))
    published_on = _read_date(file, rows)
    found = ReadList(file, published_on=published_on)
    for line, row in _named_rows(file, rows):
        number = read_number(file, line, row["Group ID"])
        entry = _read_entry(number, row)
        known = found.entries.get(number)
        if known is None:
            found.add(entry, line)
        else:
            found.entries[number] = _merge(known, entry, row)
    if not found.entries:
        raise BrokenFile(file, 1, "there is no entry")
    for entry in found.entries.values():
        entry.aliases = [alias for alias in entry.aliases if alias[0] != entry.name]
        entry.remarks = describe_facts(entry.facts, entry.remarks)
    return found


def _read_date(file: str, rows: Iterator[tuple[int, list[str]]]) -> date | None:
    _, cells = next(rows, (1, []))
    if not cells or cells[0].lower() != "last updated":
        raise BrokenFile(file, 1, "the first line does not say when the list was updated")
    return read_day(cells[1] if len(cells) > 1 else "", "%d/%m/%Y")


def _named_rows(file: str, rows: Iterator[tuple[int, list[str]]]) -> Iterator[tuple[int, Row]]:
    _, names = next(rows, (2, []))
    if missing := NEEDED - set(names):
        raise BrokenFile(file, 2, f"there is no column {min(missing)}")
    for line, cells in rows:
        if any(cells):
            if len(cells) > len(names):
                fault = f"there are {len(cells)} columns instead of {len(names)}"
                raise BrokenFile(file, line, fault)
            padded = [*cells, *[""] * (len(names) - len(cells))]
            yield line, dict(zip(names, padded, strict=True))


def _read_entry(number: int, row: Row) -> ReadEntry:
    """Return the entry of one row; its name is an alias, too, if another row has the main name."""
    kind = KINDS.get(row["Group Type"].lower(), "")
    given = [row.get(name, "") for name in GIVEN]
    address = ", ".join(filter(None, (row.get(name, "") for name in ADDRESS)))
    name = " ".join(filter(None, [*given, row["Name 6"]]))
    is_weak = row.get("Alias Quality", "").lower().startswith(WEAK)
    script = row.get("Name Non-Latin Script", "")
    return ReadEntry(
        number=number,
        name=name,
        kind=kind,
        programs=clip(row.get("Regime", ""), "programs"),
        title=clip(row.get("Position", "") or row.get("Title", ""), "title"),
        remarks=row.get("Other Information", ""),
        addresses=[address] if address else [],
        aliases=[(name, is_weak), *([(script, False)] if script else [])],
        facts=_read_facts(row),
    )


def _merge(known: ReadEntry, other: ReadEntry, row: Row) -> ReadEntry:
    """Return the entry `known` with the names, address and facts of its further row `other`.

    `row` has the cells of that row. A primary name becomes the main name.
    """
    is_primary = row["Alias Type"].lower() == PRIMARY
    facts = EntryFacts(
        unique([*known.facts.births, *other.facts.births]),
        unique([*known.facts.countries, *other.facts.countries]),
        tuple(dict.fromkeys([*known.facts.numbers, *other.facts.numbers])),
    )
    return replace(
        known,
        name=other.name if is_primary else known.name,
        aliases=[*known.aliases, *other.aliases],
        addresses=list(unique([*known.addresses, *other.addresses])),
        remarks=known.remarks or other.remarks,
        title=known.title or other.title,
        facts=facts,
    )


def _read_facts(row: Row) -> EntryFacts:
    nations = [*_values(row, "Nationality"), *_values(row, "Country of Birth")]
    countries = unique(COUNTRY_NAMES.find(one) for one in [*nations, row.get("Country", "")])
    home = next(
        (code for one in _values(row, "Nationality") if (code := COUNTRY_NAMES.find(one))), ""
    )
    numbers = [
        *(ListedNumber("Passport", one) for one in _values(row, "Passport Number")),
        *(
            ListedNumber("National ID", one, home)
            for one in _values(row, "National Identification Number")
        ),
    ]
    return EntryFacts(
        unique(map(_read_birth, _values(row, "DOB"))), countries, tuple(dict.fromkeys(numbers))
    )


def _values(row: Row, name: str) -> list[str]:
    """Return the values of the cell in column `name`; several are written as `(1) one (2) two`."""
    return [part.strip() for part in NUMBERED.split(row.get(name, "")) if part.strip()]


def _read_birth(text: str) -> str:
    """Return a birth, written as a year or as day/month/year with 00 for unknown, as ISO 8601."""
    day, _, rest = text.partition("/")
    month, _, year = rest.partition("/")
    parts = (year, month, day) if year else (text, "", "")
    return birth_of(*(int(part) if part.isdecimal() else None for part in parts))

"""OFAC's lists in CSV: the SDN list and the consolidated list of the other sanctions.

Source: OFAC's data specification, CSV; both lists have the same columns.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from onboarding.entry_facts import read_remarks
from onboarding.screening.lists.reading import (
    LONGEST,
    BrokenFile,
    Files,
    ReadEntry,
    ReadList,
    decode,
    read_number,
    read_rows,
)

NULL = "-0-"
END_OF_FILE = "\x1a"  # the last character of OFAC's files
MAIN_COLUMNS, ADDRESS_COLUMNS, ALIAS_COLUMNS = 12, 6, 5
WEAK = re.compile(r"""\b[afn]\.k\.a\. ['"](.+?)['"](?=[;.,)]|\s*$)""")
CONSOLIDATED = "cons_"  # the beginning of the names of the consolidated list's files


def read(files: Files) -> ReadList:
    """Read the entries of a list of OFAC, with their addresses and aliases.

    If `files` names no file of addresses or aliases, that file is looked for in the main file's
    folder, and may be missing. Raises: BrokenFile, if the main file is empty, too.
    """
    found = ReadList(files.main.name)
    for line, cells in _rows(files.main.name, files.read(files.main), MAIN_COLUMNS):
        found.add(_read_entry(files.main.name, line, cells), line)
    if not found.entries:
        raise BrokenFile(files.main.name, 1, "there is no entry")
    addresses = files.addresses or _beside(files.main, "add.csv")
    aliases = files.aliases or _beside(files.main, "alt.csv")
    _add_rows(files, addresses, found, ADDRESS_COLUMNS, _add_address)
    _add_rows(files, aliases, found, ALIAS_COLUMNS, _add_alias)
    for entry in found.entries.values():
        entry.facts = read_remarks(entry.remarks, entry.addresses)
    return found


def _beside(main: Path, name: str) -> Path | None:
    """Return the file `name` of the same list in the folder of `main`; None if there is none.

    Files of the consolidated list begin with `cons_`. Case is ignored.
    """
    wanted = f"{CONSOLIDATED}{name}" if main.name.lower().startswith(CONSOLIDATED) else name
    if not main.parent.is_dir():
        return None
    return next(
        (path for path in sorted(main.parent.iterdir()) if path.name.lower() == wanted), None
    )


def _read_entry(file: str, line: int, cells: list[str]) -> ReadEntry:
    name, kind, programs, title, remarks = (cells[column] for column in (1, 2, 3, 4, 11))
    return ReadEntry(
        number=read_number(file, line, cells[0]),
        name=name,
        kind=kind.lower(),
        programs=programs.replace("] [", ", ").strip("[]"),
        title=title,
        remarks=remarks,
        aliases=[(alias, True) for alias in WEAK.findall(remarks) if _fits(alias)],
    )


def _add_rows(
    files: Files,
    path: Path | None,
    found: ReadList,
    columns: int,
    add: Callable[[ReadEntry, list[str]], None],
) -> None:
    """Call `add` for each row of a file of addresses or aliases, with the entry that it belongs to.

    Without a path nothing is done. Raises: BrokenFile if an entry is missing or a text is too long.
    """
    if path is None:
        return
    for line, cells in _rows(path.name, files.read(path), columns):
        number = read_number(path.name, line, cells[0])
        if number not in found.entries:
            raise BrokenFile(path.name, line, f"there is no entry {number}")
        if not _fits(cells[3]):
            raise BrokenFile(path.name, line, "a text is too long")
        add(found.entries[number], cells)


def _add_address(entry: ReadEntry, cells: list[str]) -> None:
    if address := ", ".join(filter(None, cells[2:5])):
        entry.addresses.append(address)


def _add_alias(entry: ReadEntry, cells: list[str]) -> None:
    _number, _alias_number, kind, name, remarks = cells[:ALIAS_COLUMNS]
    if name:
        entry.aliases.append((name, "weak" in f"{kind} {remarks}".lower()))


def _rows(file: str, content: bytes, columns: int) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the cells of rows that are not blank; OFAC's null becomes empty.

    Raises: BrokenFile if a row has other than `columns` cells.
    """
    for line, cells in read_rows(file, decode(content)):
        if cells in ([], [""], [END_OF_FILE]):
            continue
        if len(cells) != columns:
            fault = f"there are {len(cells)} columns instead of {columns}"
            raise BrokenFile(file, line, fault)
        yield line, ["" if cell == NULL else cell for cell in cells]


def _fits(name: str) -> bool:
    return len(name) <= LONGEST["name"]

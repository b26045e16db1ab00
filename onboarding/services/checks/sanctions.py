"""Sanctions list: loaded from OFAC's CSV files in place of the previous list."""

import csv
import hashlib
import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from django.db import transaction

from onboarding.models import SanctionsEntry, SanctionsList, SanctionsName
from onboarding.queries.checks import get_current_list
from onboarding.screening.sanctions import INDIVIDUAL
from onboarding.screening.words import normalise

NULL = "-0-"
END_OF_FILE = "\x1a"  # the last character of OFAC's files
BATCH_SIZE = 1000
LONGEST = {"name": 350, "kind": 12, "programs": 200, "title": 200}  # characters
SDN_COLUMNS, ADDRESS_COLUMNS, ALIAS_COLUMNS = 12, 6, 5
WEAK = re.compile(r"""\b[afn]\.k\.a\. ['"](.+?)['"](?=[;.,)]|\s*$)""")


class BrokenFile(Exception):
    """A file does not have OFAC's format; nothing was loaded."""

    def __init__(self, file: str, line: int, reason: str) -> None:
        super().__init__(f"{file}, line {line}: {reason}")


@dataclass(frozen=True)
class Loaded:
    """The result of a load. `is_new` is false if the files are the current list already."""

    sha256: str
    entry_count: int
    name_count: int
    address_count: int
    is_new: bool


@dataclass
class _Entry:
    """An entry while the files are read."""

    row: SanctionsEntry
    aliases: list[tuple[str, bool]] = field(default_factory=list)  # name, is weak

    def names(self) -> Iterator[SanctionsName]:
        """Yield each name of the entry once, as a strong name rather than as a weak alias."""
        is_person = self.row.kind == INDIVIDUAL
        seen: set[str] = set()
        called = [(self.row.name, False, False)]
        called += [(name, True, weak) for name, weak in sorted(self.aliases, key=lambda a: a[1])]
        for name, is_alias, is_weak in called:
            normal = normalise(name, is_person=is_person)
            if normal and normal not in seen:
                seen.add(normal)
                yield SanctionsName(
                    entry=self.row, name=name, normal=normal, is_alias=is_alias, is_weak=is_weak
                )


def load_list(
    sdn: Path,
    *,
    addresses: Path | None = None,
    aliases: Path | None = None,
    at: datetime,
    dry_run: bool = False,
) -> Loaded:
    """Replace the current list by the list in the files, completely or not at all.

    Without `addresses` and `aliases`, add.csv and alt.csv beside `sdn` are read if they are there.
    Raises: BrokenFile.
    Source: OFAC's data specification of the SDN list, CSV.
    """
    paths = [sdn, addresses or _beside(sdn, "add.csv"), aliases or _beside(sdn, "alt.csv")]
    contents = [_read(path) for path in paths]
    entries = _read_entries(sdn.name, contents[0])
    address_count = _add(paths[1], contents[1], entries, ADDRESS_COLUMNS, _add_address)
    _add(paths[2], contents[2], entries, ALIAS_COLUMNS, _add_alias)
    names = [name for entry in entries.values() for name in entry.names()]
    sha256 = hashlib.sha256(b"".join(contents)).hexdigest()
    current = get_current_list()
    is_new = current is None or current.sha256 != sha256
    if is_new and not dry_run:
        _replace(sha256, entries, names, at)
    return Loaded(sha256, len(entries), len(names), address_count, is_new)


@transaction.atomic
def _replace(
    sha256: str, entries: dict[int, _Entry], names: list[SanctionsName], at: datetime
) -> None:
    former = SanctionsList.objects.select_for_update(of=("self",)).filter(is_current=True)
    SanctionsList.objects.filter(pk__in=[one.pk for one in former]).update(is_current=False)
    SanctionsName.objects.all().delete()
    SanctionsEntry.objects.all().delete()
    loaded = SanctionsList.objects.create(
        sha256=sha256, entry_count=len(entries), name_count=len(names), loaded_at=at
    )
    rows = [entry.row for entry in entries.values()]
    for row in rows:
        row.sanctions_list = loaded
    SanctionsEntry.objects.bulk_create(rows, batch_size=BATCH_SIZE)
    for name in names:
        name.entry_id = name.entry.pk
    SanctionsName.objects.bulk_create(names, batch_size=BATCH_SIZE)


def _beside(sdn: Path, name: str) -> Path | None:
    """Return the file of that name in the folder of `sdn`, ignoring case."""
    return next((path for path in sorted(sdn.parent.iterdir()) if path.name.lower() == name), None)


def _read(path: Path | None) -> bytes:
    if path is None:
        return b""
    try:
        return path.read_bytes()
    except OSError as exc:
        raise BrokenFile(path.name, 0, exc.strerror or "it cannot be read") from None


def _read_entries(file: str, content: bytes) -> dict[int, _Entry]:
    entries: dict[int, _Entry] = {}
    for line, cells in _rows(file, content, SDN_COLUMNS):
        number = _number(file, line, cells[0])
        name, kind, programs, title, remarks = (cells[column] for column in (1, 2, 3, 4, 11))
        if number in entries:
            raise BrokenFile(file, line, f"entry {number} comes twice")
        if not name:
            raise BrokenFile(file, line, f"entry {number} has no name")
        row = SanctionsEntry(
            number=number,
            name=name,
            kind=kind.lower(),
            programs=programs.replace("] [", ", ").strip("[]"),
            title=title,
            remarks=remarks,
        )
        _require_short(file, line, row)
        weak = [(alias, True) for alias in WEAK.findall(remarks) if _fits(alias)]
        entries[number] = _Entry(row, weak)
    if not entries:
        raise BrokenFile(file, 1, "there is no entry")
    return entries


def _add(
    path: Path | None,
    content: bytes,
    entries: dict[int, _Entry],
    columns: int,
    add: Callable[[_Entry, list[str]], object],
) -> int:
    """Add each row of a further file to its entry, and return the number of rows."""
    count = 0
    if path is None:
        return count
    for line, cells in _rows(path.name, content, columns):
        number = _number(path.name, line, cells[0])
        if number not in entries:
            raise BrokenFile(path.name, line, f"there is no entry {number}")
        if not _fits(cells[3]):
            raise BrokenFile(path.name, line, "a text is too long")
        add(entries[number], cells)
        count += 1
    return count


def _add_address(entry: _Entry, cells: list[str]) -> None:
    if address := ", ".join(filter(None, cells[2:5])):
        entry.row.addresses.append(address)


def _add_alias(entry: _Entry, cells: list[str]) -> None:
    _number, _alias_number, kind, name, remarks = cells[:ALIAS_COLUMNS]
    if name:
        entry.aliases.append((name, "weak" in f"{kind} {remarks}".lower()))


def _rows(file: str, content: bytes, columns: int) -> Iterator[tuple[int, list[str]]]:
    """Yield line numbers and rows; cells are stripped, and empty for OFAC's null."""
    reader = csv.reader(io.StringIO(_decode(content), newline=""), strict=True)
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if cells in ([], [""], [END_OF_FILE]):
                continue
            if len(cells) != columns:
                fault = f"there are {len(cells)} columns instead of {columns}"
                raise BrokenFile(file, reader.line_num, fault)
            yield reader.line_num, ["" if cell == NULL else cell for cell in cells]
    except csv.Error as exc:
        raise BrokenFile(file, reader.line_num, str(exc)) from None


def _decode(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def _number(file: str, line: int, text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text) < 2**31):
        raise BrokenFile(file, line, "the entry's number is no number")
    return int(text)


def _require_short(file: str, line: int, row: SanctionsEntry) -> None:
    for name, most in LONGEST.items():
        if len(getattr(row, name)) > most:
            raise BrokenFile(file, line, f"the {name} has more than {most} characters")


def _fits(name: str) -> bool:
    return len(name) <= LONGEST["name"]

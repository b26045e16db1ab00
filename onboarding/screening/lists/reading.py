"""Reading: the files of a list, the entries that a reader returns, and the limits of both."""

import csv
import hashlib
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path

from onboarding.entry_facts import EntryFacts

INDIVIDUAL = "individual"
VESSEL = "vessel"
MAX_BYTES = 256 * 1024 * 1024  # of a file
MAX_ENTRIES = 300_000
MAX_NUMBER = 2**31
LONGEST = {"name": 350, "kind": 12, "programs": 200, "title": 200}  # characters


class BrokenFile(Exception):
    """A file cannot be read, has not the format of its list, or is too large; nothing is loaded."""

    def __init__(self, file: str, line: int, reason: str) -> None:
        super().__init__(f"{file}, line {line}: {reason}")


class Files:
    """The paths of a list's files. `sha256` is of the contents that `read` has returned so far."""

    def __init__(
        self, main: Path, *, addresses: Path | None = None, aliases: Path | None = None
    ) -> None:
        self.main, self.addresses, self.aliases = main, addresses, aliases
        self._hash = hashlib.sha256()

    @property
    def sha256(self) -> str:
        return self._hash.hexdigest()

    def read(self, path: Path) -> bytes:
        """Return the content of a file. Raises: BrokenFile if it is too large or cannot be read."""
        try:
            if path.stat().st_size > MAX_BYTES:
                raise BrokenFile(path.name, 0, f"the file has more than {MAX_BYTES:,} bytes")
            content = path.read_bytes()
        except OSError as exc:
            raise BrokenFile(path.name, 0, exc.strerror or "it cannot be read") from None
        self._hash.update(content)
        return content


@dataclass
class ReadEntry:
    """An entry as a file has it. `aliases` are pairs of a name and whether it is a weak alias."""

    number: int
    name: str
    kind: str = ""
    programs: str = ""
    title: str = ""
    remarks: str = ""
    addresses: list[str] = field(default_factory=list)
    aliases: list[tuple[str, bool]] = field(default_factory=list)
    facts: EntryFacts = field(default_factory=EntryFacts)


@dataclass
class ReadList:
    """The entries of a list by number, and the day on which the list was published, if known."""

    file: str
    entries: dict[int, ReadEntry] = field(default_factory=dict)
    published_on: date | None = None

    def add(self, entry: ReadEntry, line: int) -> None:
        """Add an entry that was read at a line of the file.

        Raises: BrokenFile if it comes twice, has no name or too long texts, or if MAX_ENTRIES are
        there already.
        """
        if entry.number in self.entries:
            raise BrokenFile(self.file, line, f"entry {entry.number} comes twice")
        if not entry.name:
            raise BrokenFile(self.file, line, f"entry {entry.number} has no name")
        for name, most in LONGEST.items():
            if len(getattr(entry, name)) > most:
                raise BrokenFile(self.file, line, f"the {name} has more than {most} characters")
        if len(self.entries) >= MAX_ENTRIES:
            raise BrokenFile(self.file, line, f"there are more than {MAX_ENTRIES:,} entries")
        self.entries[entry.number] = entry


def decode(content: bytes) -> str:
    """Return text in UTF-8, else in Latin-1."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def read_rows(file: str, text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield line numbers and rows of a CSV file with stripped cells. Raises: BrokenFile."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        for row in reader:
            yield reader.line_num, [cell.strip() for cell in row]
    except csv.Error as exc:
        raise BrokenFile(file, reader.line_num, str(exc)) from None


def read_number(file: str, line: int, text: str) -> int:
    """Return an entry's number from its text. Raises: BrokenFile unless digits below MAX_NUMBER."""
    if not (text.isascii() and text.isdecimal() and int(text[:11]) < MAX_NUMBER):
        raise BrokenFile(file, line, "the entry's number is no number")
    return int(text)


def clip(text: str, name: str) -> str:
    """Return a text, cut off with an ellipsis if it is too long for the column `name`."""
    most = LONGEST[name]
    return text if len(text) <= most else f"{text[: most - 1]}…"


def read_day(text: str, form: str = "%Y-%m-%d") -> date | None:
    """Return the day in the first ten characters of a text; None if there is none."""
    try:
        return datetime.strptime(text[:10], form).date()  # noqa: DTZ007 - days have no time zone
    except ValueError:
        return None

"""Read the rows of a CSV file with the numbers of their lines; a broken row ends with its line."""

import csv
import re
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TextIO

from banking.imports.transactions import Fault, UnreadableFile

MAX_LINE: Final = 100_000
MAX_LINES: Final = 50  # of one record, whose fields may hold line breaks
SURROGATE: Final = re.compile("[\ud800-\udfff]")
MARKS_OF_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")

Row = tuple[int, list[str]]


def rows_of(path: Path, *, encoding: str, delimiter: str, skip: int) -> Iterator[Row | Fault]:
    """Yield the rows of a file in its order, without blank rows and the first `skip` lines.

    Shape: the number of the row's first line, from 1, and the texts of its cells; a Fault for a
    row that cannot be read. Raises: UnreadableFile for UTF-16 that `encoding` does not name.
    """
    with path.open("rb") as file:
        is_utf16 = file.read(2) in MARKS_OF_UTF16
    if is_utf16 and not encoding.lower().replace("-", "").replace("_", "").startswith("utf16"):
        raise UnreadableFile("The file is UTF-16; say so in the mapping.")
    if encoding.lower().replace("_", "-") in {"utf-8", "utf8"}:
        encoding = "utf-8-sig"
    # a byte that does not belong becomes a lone surrogate, so that its line can be named
    with path.open(encoding=encoding, errors="surrogateescape", newline="") as file:
        yield from _Lines(file, skip).rows(delimiter)


class _Lines:
    """The lines of a file. After a broken record, reading goes on at the record's second line."""

    def __init__(self, file: TextIO, skip: int) -> None:
        self._file = file
        self._again: deque[str] = deque()
        self._taken: list[str] = []
        self._next = 1
        for _ in range(skip):
            next(self, None)

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        if len(self._taken) >= MAX_LINES:
            raise csv.Error("a quote is not closed")
        line = self._again.popleft() if self._again else self._read()
        if not line:
            raise StopIteration
        self._taken.append(line)
        self._next += 1
        return line

    def rows(self, delimiter: str) -> Iterator[Row | Fault]:
        reader = csv.reader(self, delimiter=delimiter, strict=True)
        while True:
            self._taken.clear()
            number = self._next
            try:
                row = next(reader, None)
            except csv.Error as exc:
                yield Fault(number, self._reason(exc))
                self._step_back()
                continue
            except UnicodeError:
                yield Fault(number, "is not in the encoding of the mapping; nothing after it is")
                return
            if row is None:
                return
            if row and any(row):
                yield self._checked(number, row)

    def _read(self) -> str:
        """Return the next line. A line longer than MAX_LINE is cut and becomes a fault."""
        line = piece = self._file.readline(MAX_LINE + 1)
        while len(piece) > MAX_LINE and not piece.endswith(("\n", "\r")):
            piece = self._file.readline(MAX_LINE + 1)
        return line

    def _checked(self, number: int, row: list[str]) -> Row | Fault:
        text = "".join(self._taken)
        if len(text) > MAX_LINE:
            return Fault(number, f"is longer than {MAX_LINE:,} characters")
        if "\0" in text:
            return Fault(number, "holds NUL bytes")
        if SURROGATE.search(text):
            return Fault(number, "holds bytes that are not in the encoding of the mapping")
        return number, row

    def _reason(self, exc: csv.Error) -> str:
        if any(len(line) > MAX_LINE for line in self._taken):
            return f"is longer than {MAX_LINE:,} characters"
        return "has a quote that is not closed" if self._taken[1:] else f"is not CSV: {exc}"

    def _step_back(self) -> None:
        """Read the lines after an unclosed quote again, without the line of the quote."""
        self._again.extendleft(reversed(self._taken[1:]))
        self._next -= len(self._taken[1:])

"""CSV files of one kind: their columns from the kind's schema, and their rows as lines of JSON."""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from types import UnionType
from typing import IO, Annotated, Any, Final, Union, get_args, get_origin

import orjson
from django.conf import settings
from pydantic import BaseModel

from banking.feed.lines import Envelope, RawLine
from banking.feed.registry import KINDS
from banking.feed.schemas import Data
from banking.imports.csv_files import EXCEL_TEXT
from foundation.files import CSV, Download, stream_csv

LINE_FIELDS: Final = ("external_id", "version", "removed")  # of the envelope
DELIMITERS: Final = ",;\t"
INTEGER: Final = re.compile(r"-?[0-9]{1,18}")
SHORTENED: Final = re.compile(r"-?[0-9]+(?:[.,][0-9]+)?E\+[0-9]+")  # a long number, by Excel
NOT_UTF8: Final = "The file is not in UTF-8. In a spreadsheet, save it as “CSV UTF-8”."


class Unreadable(Exception):
    """The file, or a part of it, is not CSV in UTF-8 with the columns of its kind."""


@dataclass(frozen=True)
class Column:
    """A column: its name, the place of its value in the line, and the types of the value."""

    name: str
    path: tuple[str, ...]
    types: frozenset[Any]

    def read(self, cell: str) -> Any:
        """Return the value of a cell.

        Text that is no value of the column's type stays text, which the schema refuses. A long
        number that a spreadsheet has shortened, as 1.2E+11, becomes a float in a column of text,
        which the schema refuses, too.
        """
        if match := EXCEL_TEXT.fullmatch(cell):
            cell = match[1]
        if bool in self.types and cell.lower() in {"true", "false"}:
            return cell.lower() == "true"
        if int in self.types and INTEGER.fullmatch(cell):
            return int(cell)
        if list in self.types:
            return _parsed(cell)
        if str in self.types and SHORTENED.fullmatch(cell):
            return float(cell.replace(",", "."))
        return cell


@cache
def columns_of(kind: str) -> tuple[Column, ...]:
    """Return the CSV columns of a kind: the columns of every line, then the columns of the data."""
    fields = [Envelope.model_fields[name] for name in LINE_FIELDS]
    own = [Column(str(one.alias), (str(one.alias),), _types(one.annotation)) for one in fields]
    return (*own, *_columns(KINDS[kind].schema, ("data",)))


def template(kind: str) -> Download:
    """Return a CSV file that has only the header of the kind."""
    header = [column.name for column in columns_of(kind)]
    return Download(CSV, f"{kind}.csv", b"".join(stream_csv(header, ())))


def read_rows(stream: IO[bytes], kind: str, *, after: int = 0) -> Iterator[RawLine]:
    """Yield the rows of a CSV file as lines of JSON, without blank ones; the header is row 1.

    Rows that end at byte `after` or before are left out. Raises: Unreadable.
    """
    lines = _Lines(stream)
    number = 0
    try:
        first = next(lines, "")
        delimiter = max(DELIMITERS, key=first.count)
        reader = csv.reader(chain([first], lines), delimiter=delimiter, strict=True)
        header = _header(next(reader, []), kind)
        for number, cells in enumerate(reader, 2):
            if lines.end > after and any(cell.strip() for cell in cells):
                yield RawLine(number, orjson.dumps(_line(kind, header, cells)), lines.end)
    except csv.Error as exc:
        raise Unreadable(f"After row {max(number, 1)} the file is not CSV: {exc}.") from None
    except UnicodeError:
        raise Unreadable(NOT_UTF8) from None


def column_of(pointer: str) -> str:
    """Return the name of the CSV column for the JSON pointer of a fault.

    Within a list, the name is followed by the index of the entry, from 0, and the entry's field.
    """
    names = pointer.split("/")[1:]
    if names[:1] == ["data"] and names[1:]:
        names = names[1:]
        return _name(tuple(names))
    return ".".join(names)


class _Lines:
    """The lines of a stream as text; `end` is the byte after the line that was read last."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.end = 0

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        text = self._stream.readline(settings.FEED_LINE_MAX_BYTES + 1)
        if not text:
            raise StopIteration
        if len(text) > settings.FEED_LINE_MAX_BYTES:
            raise csv.Error(f"line of more than {settings.FEED_LINE_MAX_BYTES:,} bytes")
        encoding = "utf-8" if self.end else "utf-8-sig"  # spreadsheets write a byte order mark
        self.end += len(text)
        return text.decode(encoding)


def _header(cells: Sequence[str], kind: str) -> list[Column | None]:
    """Return the column of each cell of the header, None for an empty one. Raises: Unreadable."""
    known = {column.name: column for column in columns_of(kind)}
    names = [cell.strip() for cell in cells]
    for name in filter(None, names):
        if name not in known:
            raise Unreadable(f"Records of the kind {kind} have no column “{name[:100]}”.")
        if names.count(name) > 1:
            raise Unreadable(f"The file has more than one column “{name}”.")
    for column in columns_of(kind)[:2]:
        if column.name not in names:
            raise Unreadable(f"The file has no column “{column.name}”.")
    return [known.get(name) for name in names]


def _line(kind: str, header: Sequence[Column | None], cells: Sequence[str]) -> dict[str, Any]:
    """Return the line of a row. A cell without a column gets a field that the schema refuses."""
    line: dict[str, Any] = {"kind": kind}
    for place, cell in enumerate(cells):
        text = cell.strip()
        if not text:
            continue
        column = header[place] if place < len(header) else None
        path = column.path if column else ("data", f"column {place + 1}")
        target = line
        for name in path[:-1]:
            target = target.setdefault(name, {})
        target[path[-1]] = column.read(text) if column else text
    if line.get("removed") is not True:
        line.setdefault("data", {})
    return line


def _columns(schema: type[BaseModel], above: tuple[str, ...]) -> Iterator[Column]:
    """Yield the columns of a schema; those of an object in it have dotted names."""
    for field in schema.model_fields.values():
        path, types = (*above, str(field.alias)), _types(field.annotation)
        inner = [one for one in types if isinstance(one, type) and issubclass(one, Data)]
        if inner:
            yield from _columns(inner[0], path)
        else:
            yield Column(_name(path[1:]), path, types)


def _name(path: tuple[str, ...]) -> str:
    """Return the dotted name of a data column; if the line has that column, too, with “data.”."""
    of_line = {str(Envelope.model_fields[name].alias) for name in LINE_FIELDS}
    return ".".join(("data", *path) if path[0] in of_line else path)


def _types(annotation: Any) -> frozenset[Any]:
    """Return the types of an annotation: those of a union, without the metadata of Annotated."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _types(get_args(annotation)[0])
    if origin in {Union, UnionType}:
        return frozenset().union(*map(_types, get_args(annotation)))
    return frozenset([origin or annotation])


def _parsed(cell: str) -> Any:
    try:
        return orjson.loads(cell)
    except orjson.JSONDecodeError:
        return cell

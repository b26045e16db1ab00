"""Files on their way out: whole ones in memory, and ZIP and CSV as streams."""

import csv
import io
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

PDF = "application/pdf"
CSV = "text/csv; charset=utf-8"
ZIP = "application/zip"
SHOWN_INLINE = {PDF, "image/png", "image/jpeg"}  # what a browser may show by itself
DANGEROUS = ("=", "+", "-", "@", "\t", "\r", "\n")  # what a spreadsheet takes for a formula
CHUNK_BYTES = 65_536  # bytes
ZIP_DATE = (1980, 1, 1, 0, 0, 0)  # one for all: the same files give the same archive


@dataclass(frozen=True)
class Download:
    """A whole file. `stored_as` is its name in the store that it was read from, if there is one."""

    content_type: str
    file_name: str
    content: bytes
    stored_as: str = field(default="", compare=False)


@dataclass(frozen=True)
class Stream:
    """A file that is made while it is sent; its chunks are read once."""

    content_type: str
    file_name: str
    chunks: Iterator[bytes]

    def read(self) -> Download:
        """Read all chunks, and return the whole file."""
        return Download(self.content_type, self.file_name, b"".join(self.chunks))


def defuse(cell: object) -> str:
    """Return the text of a cell, with an apostrophe before a text that would be a formula.

    None becomes an empty text; numbers get no apostrophe.
    """
    text = "" if cell is None else str(cell)
    is_text = isinstance(cell, str)
    return f"'{text}" if is_text and text.startswith(DANGEROUS) else text


def stream_csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[bytes]:
    """Yield a CSV file a row at a time, each text cell defused."""
    line = io.StringIO()
    writer = csv.writer(line, lineterminator="\r\n")
    for row in chain([header], rows):
        writer.writerow([defuse(cell) for cell in row])
        yield line.getvalue().encode()
        line.seek(0)
        line.truncate()


def gathered(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the first chunk at once, and then chunks joined to CHUNK_BYTES or more."""
    waiting, most = bytearray(), 0
    for chunk in chunks:
        waiting += chunk
        if len(waiting) >= most:
            yield bytes(waiting)
            waiting.clear()
            most = CHUNK_BYTES
    if waiting:
        yield bytes(waiting)


def stream_zip(files: Iterable[tuple[str, bytes]]) -> Iterator[bytes]:
    """Yield a ZIP archive of names and contents, one file in memory at a time.

    The files are stored as they are: PDFs are compressed already.
    """
    outlet = _Outlet()
    with zipfile.ZipFile(outlet, "w", zipfile.ZIP_STORED) as archive:
        for name, content in files:
            archive.writestr(zipfile.ZipInfo(name, ZIP_DATE), content)
            yield outlet.take()
    yield outlet.take()


class _Outlet(io.RawIOBase):
    """A write-only stream for `zipfile`. It cannot seek, so that written bytes never change."""

    def __init__(self) -> None:
        self.waiting = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]  # zipfile writes bytes only
        self.waiting += data
        return len(data)

    def take(self) -> bytes:
        """Return the bytes written since the last call."""
        taken = bytes(self.waiting)
        self.waiting.clear()
        return taken

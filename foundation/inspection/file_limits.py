"""File limits: how much may be looked at for one sent file."""

import time
from dataclasses import dataclass, field

SECONDS = 10  # after which no further PDF file is read


@dataclass
class Limits:
    """The limits that remain for one sent file, including archives within archives."""

    depth: int = 3  # a ZIP file with a presentation that has a workbook
    members: int = 5000
    unpacked: int = 64 * 1024**2  # bytes
    searched: int = 24 * 1024**2  # bytes of texts and unknown data, which take longest
    nodes: int = 2_000_000  # tags and attributes that are parsed: some 200 MiB of memory
    pdfs: int = 10  # PDF files that a child process reads
    deadline: float = field(default_factory=lambda: time.monotonic() + SECONDS)  # for the last

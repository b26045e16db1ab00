"""Reading: PDF files from outside, checked and drawn by a child process with limits."""

import os
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

import foundation
from foundation.pdf.findings import Finding

ROOT = Path(foundation.__file__).resolve().parent.parent
SECONDS = 20  # of wall clock; the CPU time is limited by the child itself
AT_ONCE = threading.BoundedSemaphore(2)  # child processes of this process
PAGES_MAX = 500  # pages that are drawn
COMMAND: Final = [sys.executable, "-s", "-m", "foundation.pdf"]


class Unreadable(Exception):
    """The file is no readable PDF, or the child process reached a limit (`is_slow`)."""

    def __init__(self, *, is_slow: bool = False) -> None:
        super().__init__("slow" if is_slow else "damaged")
        self.is_slow = is_slow


@dataclass(frozen=True)
class Page:
    """A page of a PDF file: its number, the count of all pages, and the picture as PNG."""

    number: int
    count: int
    png: bytes

    @property
    def following(self) -> int:
        """Return the number of the next page that can be drawn; 0 after the last."""
        return self.number + 1 if self.number < min(self.count, PAGES_MAX) else 0


def check(content: bytes) -> Finding | None:
    """Return why a PDF file is not harmless; None if it is. May take SECONDS."""
    try:
        found = _run(content, "check").decode()
        return Finding(found) if found else None
    except Unreadable as refused:
        return Finding.SLOW if refused.is_slow else Finding.DAMAGED
    except ValueError:
        return Finding.DAMAGED


def draw_page(content: bytes, number: int) -> Page:
    """Draw a page of a PDF file, or its last page if there are fewer, up to PAGES_MAX.

    May take SECONDS. Raises: Unreadable.
    """
    head, _line, png = _run(content, "draw", str(min(number, PAGES_MAX))).partition(b"\n")
    drawn, count = map(int, head.split())
    return Page(drawn, count, png)


def _run(content: bytes, *arguments: str) -> bytes:
    """Return what the child process writes: it gets the content, and nothing of ours.

    Raises: Unreadable.
    """
    with AT_ONCE, _scratch(content) as source, _scratch() as result:
        try:
            ended = subprocess.run(  # noqa: S603 - a fixed command
                [*COMMAND, *arguments],
                stdin=source,
                stdout=result,
                stderr=subprocess.DEVNULL,
                env={},
                cwd=ROOT,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise Unreadable(is_slow=True) from None
        if ended.returncode:
            raise Unreadable(is_slow=ended.returncode < 0)
        result.seek(0)
        return result.read()


def _scratch(content: bytes = b"") -> IO[bytes]:
    """Return a file that is never on a disk where the system can do that."""
    if hasattr(os, "memfd_create"):
        file: IO[bytes] = os.fdopen(os.memfd_create("pdf"), "w+b")
    else:
        file = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
    file.write(content)
    file.seek(0)
    return file

"""Reading: PDF files from outside, checked and drawn by a child process with limits."""

from dataclasses import dataclass
from typing import Final

from foundation.pdf.child_processes import Unreadable, run_child
from foundation.pdf.findings import Finding

MODULE: Final = "foundation.pdf"
PAGES_MAX = 500  # pages that are drawn


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
    """Return why a PDF file may do harm, or cannot be checked; None if it is harmless.

    Takes SECONDS at most, after waiting for other child processes of this process.
    """
    try:
        found = run_child(MODULE, content, "check").decode()
        return Finding(found) if found else None
    except Unreadable as refused:
        return Finding.SLOW if refused.is_slow else Finding.DAMAGED
    except ValueError:
        return Finding.DAMAGED


def draw_page(content: bytes, number: int) -> Page:
    """Draw the page `number`, counted from 1; the last page of the file if it has fewer.

    No page after PAGES_MAX is drawn: a higher number gives that page.

    Takes SECONDS at most, after waiting for other child processes. Raises: Unreadable.
    """
    head, _line, png = run_child(MODULE, content, "draw", str(min(number, PAGES_MAX))).partition(
        b"\n"
    )
    drawn, count = map(int, head.split())
    return Page(drawn, count, png)

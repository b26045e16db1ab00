"""Reading: pictures and PDF files from outside, measured by a child process with limits."""

import json
from dataclasses import dataclass
from typing import Final

from foundation.pdf.child_processes import run_child

MODULE: Final = "foundation.pictures"


@dataclass(frozen=True)
class Picture:
    """Measures of a picture. Units: pixels; the others have none.

    `spread` is the difference between dark and bright, `brightness` the least of the brightest
    tenth, both of 255. `sharpness` is 0 where nothing printed is seen.
    """

    width: int
    height: int
    spread: int
    brightness: int
    sharpness: float


@dataclass(frozen=True)
class Pages:
    """The count of all pages of a PDF file, and the largest spread of the first pages.

    `spread` is the difference between the brightest and the darkest pixel of a page, 0 to 255; 0
    means that these pages show nothing.
    """

    pages: int
    spread: int


def measure_picture(content: bytes) -> Picture:
    """Measure a JPEG or PNG picture. Raises: Unreadable, also if the end of the file is missing."""
    return Picture(**json.loads(run_child(MODULE, content, "picture")))


def measure_pages(content: bytes) -> Pages:
    """Measure the first pages of a PDF file. Raises: Unreadable."""
    return Pages(**json.loads(run_child(MODULE, content, "pages")))

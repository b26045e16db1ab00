"""Drawing: a page of a PDF file as a picture. Runs in the child process only."""

import io
from collections.abc import Callable
from functools import partial

from PIL import Image
from pypdfium2 import PdfDocument, PdfPage

WIDTH = 1400  # pixels, enough to read small print
PIXELS_MAX = 5_000_000
Image.preinit()  # nothing can be imported later


def draw_page(number: int) -> Callable[[bytes], bytes]:
    """Return a function that draws a page of a PDF file, or its last page if there are fewer.

    Shape of its result: a line with the number of the drawn page, from 1, and the count of all
    pages; then the picture as PNG.
    """
    return partial(_draw, number)


def _draw(number: int, content: bytes) -> bytes:
    document = PdfDocument(content)
    document.init_forms()  # shows what was typed into the fields; this PDFium runs no scripts
    count = len(document)
    number = min(number, count)
    page = document[number - 1]
    picture = io.BytesIO()
    page.render(scale=_scale(page)).to_pil().save(picture, "PNG")
    return b"%d %d\n" % (number, count) + picture.getvalue()


def _scale(page: PdfPage) -> float:
    """Return the pixels per point: WIDTH wide, or less if the picture would exceed PIXELS_MAX."""
    width, height = page.get_size()
    return float(min(WIDTH / width, (PIXELS_MAX / (width * height)) ** 0.5))

"""Measuring: whether a picture, or the pages of a PDF file, can be read.

Runs in the child process only.
"""

import io
import itertools
import json
from typing import Final

from PIL import Image, ImageFilter, ImageStat, MpoImagePlugin, TiffImagePlugin
from pypdfium2 import PdfDocument

LONG_SIDE = 1000  # pixels of the copy that is measured: noise is gone, print of a card is legible
PIXELS_MAX = 60_000_000  # of formats that are decoded in full
TILES = 8  # along each side
PRINTED = 300  # variance of a tile that shows more than a surface
SMOOTH = ImageFilter.GaussianBlur(1.2)  # noise has sharp edges, too
SECOND_DERIVATIVES = [  # along, down, and along both diagonals
    ImageFilter.Kernel((3, 3), weights, scale=1, offset=128)
    for weights in (
        (0, 0, 0, -1, 2, -1, 0, 0, 0),
        (0, -1, 0, 0, 2, 0, 0, -1, 0),
        (-1, 0, 0, 0, 2, 0, 0, 0, -1),
        (0, 0, -1, 0, 2, 0, -1, 0, 0),
    )
]
BORDER = 3  # pixels, which filters leave as they are
PAGE_WIDTH = 300  # pixels of a page that is drawn to see whether it is blank
PAGES_MAX = 10  # that are looked at
FORMATS: Final = ["JPEG", "PNG"]
Image.preinit()  # the child process can open no files later, so it imports nothing
PLUGINS = [MpoImagePlugin, TiffImagePlugin]  # for photos of phones and their orientation


def measure_picture(content: bytes) -> bytes:
    """Return the measures of a picture as a JSON object with the fields of `reading.Picture`.

    Raises an exception if it cannot be decoded to its end, or is a PNG of more than PIXELS_MAX.
    """
    with Image.open(io.BytesIO(content), formats=FORMATS) as image:
        width, height = image.size
        is_scaled = image.format in {"JPEG", "MPO"}  # decoded at a fraction of its size
        if width * height > PIXELS_MAX and not is_scaled:
            raise ValueError(width, height)
        image.draft("L", (2 * LONG_SIDE, 2 * LONG_SIDE))
        grey = image.convert("L")
    grey.thumbnail((LONG_SIDE, LONG_SIDE), Image.Resampling.BOX)
    measures = {"width": width, "height": height, **_measure(grey)}
    return json.dumps(measures).encode()


def measure_pages(content: bytes) -> bytes:
    """Return the JSON object of `reading.Pages`: the count of pages and the largest spread.

    The spread of a page is the difference between its brightest and its darkest pixel, 0 to 255: 0
    for an empty page. PAGES_MAX pages are drawn. Raises an exception if the file is no PDF.
    """
    document = PdfDocument(content)
    document.init_forms()
    count = len(document)
    spreads = []
    for number in range(min(count, PAGES_MAX)):
        page = document[number]
        scale = min(PAGE_WIDTH / page.get_width(), 3 * PAGE_WIDTH / page.get_height())
        darkest, brightest = page.render(scale=scale).to_pil().convert("L").getextrema()
        spreads.append(brightest - darkest)
    return json.dumps({"pages": count, "spread": max(spreads, default=0)}).encode()


def _measure(grey: Image.Image) -> dict[str, float]:
    """Return spread, brightness and sharpness of a picture, which is smoothed against noise."""
    grey = grey.filter(SMOOTH)
    return {
        "spread": _percentile(grey, 0.998) - _percentile(grey, 0.002),
        "brightness": _percentile(grey, 0.9),
        "sharpness": _sharpness(grey),
    }


def _sharpness(grey: Image.Image) -> float:
    """Return the sharpness of the sharpest tenth of the printed tiles; 0 without any.

    The surroundings of a card are out of focus. The sharpness of a tile is the variance of its
    second derivative as a share of its variance, so that weak light is not taken for blur, in the
    direction in which it is least: a moved camera blurs one direction only.
    """
    inside = (BORDER, BORDER, grey.width - BORDER, grey.height - BORDER)
    edges = [grey.filter(kernel).crop(inside) for kernel in SECOND_DERIVATIVES]
    grey = grey.crop(inside)
    found = []
    for box in _tiles(grey.size):
        variance = _variance(grey, box)
        if variance >= PRINTED:
            found.append(min(_variance(edge, box) for edge in edges) / variance)
    found.sort(reverse=True)
    return found[len(found) // 10] if found else 0


def _variance(picture: Image.Image, box: tuple[int, int, int, int]) -> float:
    return float(ImageStat.Stat(picture.crop(box)).var[0])


def _tiles(size: tuple[int, int]) -> list[tuple[int, int, int, int]]:
    width, height = size
    across = [width * place // TILES for place in range(TILES + 1)]
    down = [height * place // TILES for place in range(TILES + 1)]
    return [
        (left, top, right, bottom)
        for left, right in itertools.pairwise(across)
        for top, bottom in itertools.pairwise(down)
        if right > left and bottom > top
    ]


def _percentile(grey: Image.Image, share: float) -> int:
    counts = grey.histogram()
    wanted = share * sum(counts)
    seen = 0
    for value, count in enumerate(counts):
        seen += count
        if seen >= wanted:
            return value
    return len(counts) - 1

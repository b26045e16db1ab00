"""Pictures of pages for docs/tour.md and docs/embedding.md.

With `PICTURES=docs/pictures` in the environment, tests that see these pages photograph them.
"""

import io
import os
from pathlib import Path

from PIL import Image

COLORS = 128


def photograph(page, name, *, full_page=True):
    """Save a picture of a page as PNG with a palette, where PICTURES says; else do nothing."""
    if folder := os.environ.get("PICTURES"):
        picture = Image.open(io.BytesIO(page.screenshot(full_page=full_page)))
        shown = picture.convert("RGB").quantize(COLORS, dither=Image.Dither.NONE)
        shown.save(Path(folder) / f"{name}.png", optimize=True)

"""Typefaces of the documents: supported characters, widths of texts, and fitting."""

import unicodedata
from functools import lru_cache
from pathlib import Path

from reportlab.pdfbase import pdfdoc, pdfmetrics, ttfonts  # type: ignore[import-untyped]  # has no types
from reportlab.pdfbase.ttfonts import TTFont  # type: ignore[import-untyped]  # has no types

from banking.pdf.font_subsets import reduced, to_unicode

FOLDER = Path(__file__).parent / "fonts"
REGULAR, BOLD = "LiberationSans-Regular", "LiberationSans-Bold"
ELLIPSIS = "…"
MAX_TEXT_LENGTH = 2_000  # characters; no document has room for more of one text
CACHE_SIZE = 16  # parts of a typeface: most documents use the same characters
UNKNOWN = "□"  # drawn for characters that the typeface lacks


def _load(name: str) -> set[int]:
    """Register a typeface once for the process; return the characters that it has."""
    font = TTFont(name, str(FOLDER / f"{name}.ttf"), asciiReadable=True)
    whole = font.face.makeSubset
    make = lru_cache(maxsize=CACHE_SIZE)(lambda characters: reduced(whole(characters)))
    font.face.makeSubset = lambda characters: make(tuple(characters))
    pdfmetrics.registerFont(font)
    return set(font.face.charToGlyph)


ttfonts.makeToUnicodeCMap = to_unicode
SHOWABLE = _load(REGULAR) & _load(BOLD)


def legible(text: str) -> str:
    """Return `text` in one line, with a box for each character that cannot or must not be shown.

    Controls and marks that turn the writing direction get a box: a name cannot disguise itself.
    """
    return _legible(text if len(text) <= MAX_TEXT_LENGTH else text[:MAX_TEXT_LENGTH] + ELLIPSIS)


@lru_cache(maxsize=1024)
def _legible(text: str) -> str:
    line = " ".join(unicodedata.normalize("NFC", text).split())
    if line.isascii() and line.isprintable():
        return line
    return "".join(char if _is_shown(char) else UNKNOWN for char in line)


def _is_shown(char: str) -> bool:
    return ord(char) in SHOWABLE and unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Co"}


class KeptCompression:
    """A compression filter for reportlab that caches the results for typefaces."""

    pdfname = "FlateDecode"
    encode = staticmethod(lru_cache(maxsize=4 * CACHE_SIZE)(pdfdoc.PDFZCompress.encode))


def width_of(text: str, font: str, size: float) -> float:
    """Return the width of `text`. Units: points."""
    width: float = pdfmetrics.stringWidth(text, font, size)
    return width


def fitted(text: str, font: str, size: float, width: float) -> str:
    """Return the line that `legible` makes of `text`, cut with an ellipsis to `width` points."""
    line = legible(text)
    if width_of(line, font, size) <= width:
        return line
    low, high = 0, len(line)
    while low < high:
        middle = (low + high + 1) // 2
        if width_of(line[:middle] + ELLIPSIS, font, size) <= width:
            low = middle
        else:
            high = middle - 1
    return line[:low].rstrip() + ELLIPSIS


def fitting_size(text: str, font: str, size: float, width: float) -> float:
    """Return the size, `size` at most, in which the whole of `text` fits: no amount is cut."""
    wide = width_of(text, font, size)
    return size if wide <= width else size * width / wide


def wrapped(text: str, font: str, size: float, width: float) -> list[str]:
    """Return `text`, legible, as lines no wider than `width` points; a long word is broken."""
    lines: list[str] = []
    line = ""
    for word in legible(text).split(" "):
        longer = f"{line} {word}" if line else word
        if width_of(longer, font, size) <= width:
            line = longer
            continue
        *broken, line = _pieces(word, font, size, width)
        lines += [before for before in [longer[: -len(word) - 1], *broken] if before]
    return [*lines, line]


def _pieces(word: str, font: str, size: float, width: float) -> list[str]:
    """Return a word as pieces no wider than `width` points; one piece if the word fits."""
    pieces = [""]
    for char in word:
        if width_of(pieces[-1] + char, font, size) > width and pieces[-1]:
            pieces.append("")
        pieces[-1] += char
    return pieces

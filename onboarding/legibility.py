"""Legibility: whether the picture of an identity document can be read, by measured thresholds.

`python -m bench.identity_pictures` counts how often the thresholds are wrong on generated photos.
"""

from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from foundation.inspection.file_types import PDF
from foundation.pdf.child_processes import Unreadable
from foundation.pictures.reading import Picture, measure_pages, measure_picture
from onboarding.choices import DocumentDoubt

PICTURES: Final = {"image/jpeg", "image/png"}
SIDE_MIN, SIDE_GOOD = 320, 640  # pixels of the longer side
SPREAD_BLANK, SPREAD_BLANK_PAGE = 12, 24
BRIGHTNESS_MIN = 40
SHARPNESS_MIN = 0.012
NARROW = 3  # times as long as wide


class Fault(Enum):
    """The reason for which a file is refused as an identity document: nobody could read it."""

    FORMAT = auto()  # not a PDF, JPEG or PNG file, so staff cannot view it
    DAMAGED = auto()
    SMALL = auto()
    BLANK = auto()
    NO_PAGES = auto()
    BLANK_PAGES = auto()


@dataclass(frozen=True)
class Verdict:
    """A fault for which a file is refused, or a doubt about its legibility; a good file has none.

    A file with a doubt is accepted once its sender has confirmed that it can be read.
    """

    fault: Fault | None = None
    doubt: DocumentDoubt | None = None


GOOD = Verdict()


def judge(content: bytes, detected_type: str) -> Verdict:
    """Return the verdict whether the file of an identity document can be read, by measuring it.

    Runs a child process: call this outside of transactions. The verdict is GOOD for a file that
    takes too long to measure, since the server may be slow.
    """
    if detected_type not in {PDF, *PICTURES}:
        return Verdict(Fault.FORMAT)
    try:
        return _judge_pages(content) if detected_type == PDF else _judge(measure_picture(content))
    except Unreadable as exc:
        return GOOD if exc.is_slow else Verdict(Fault.DAMAGED)


def _judge(picture: Picture) -> Verdict:
    long, short = max(picture.width, picture.height), min(picture.width, picture.height)
    if long < SIDE_MIN:
        return Verdict(Fault.SMALL)
    if picture.spread < SPREAD_BLANK:
        return Verdict(Fault.BLANK)
    doubts = {
        DocumentDoubt.NARROW: long > NARROW * short,
        DocumentDoubt.DARK: picture.brightness < BRIGHTNESS_MIN,
        DocumentDoubt.SMALL: long < SIDE_GOOD,
        DocumentDoubt.BLURRED: picture.sharpness < SHARPNESS_MIN,
    }
    return Verdict(doubt=next((doubt for doubt, is_so in doubts.items() if is_so), None))


def _judge_pages(content: bytes) -> Verdict:
    measured = measure_pages(content)
    if not measured.pages:
        return Verdict(Fault.NO_PAGES)
    return Verdict(Fault.BLANK_PAGES) if measured.spread < SPREAD_BLANK_PAGE else GOOD

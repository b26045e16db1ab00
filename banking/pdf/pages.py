"""The page under every document: letterhead, running head, foot, and a cursor that turns pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from typing import BinaryIO, Literal

from banking.pdf.tagging import LETTER, Color, TaggedCanvas
from banking.pdf.typefaces import BOLD, REGULAR, fitted, legible, width_of, wrapped

Align = Literal["left", "right", "center"]

PAGE_WIDTH, PAGE_HEIGHT = LETTER
LEFT, RIGHT = 54.0, 558.0
WIDTH = RIGHT - LEFT
BOTTOM = 72.0  # above the foot
FIRST_TOP, NEXT_TOP = 690.0, 722.0  # below the letterhead, below the running head


def rgb(code: str) -> Color:
    """Return a colour from its six hexadecimal digits."""
    red, green, blue = bytes.fromhex(code)
    return red / 255, green / 255, blue / 255


INK, MUTED, WHITE = rgb("14213d"), rgb("5b6675"), rgb("ffffff")
DEEP, TEAL, PALE = rgb("0b3540"), rgb("0f5a6e"), rgb("dbe9ec")
RULE, SHADE, GREEN = rgb("dfe4e8"), rgb("f5f7f8"), rgb("0b6e4f")


@dataclass(frozen=True)
class Letterhead:
    """The name, address and numbers of the bank at the head of a document."""

    name: str
    address_lines: tuple[str, ...]
    phone: str
    website: str
    routing_number: str
    swift: str


class PdfDocument:
    """A document that is written from top to bottom; the caller ends it with `finish`.

    `y` is the height at which the next block begins, in points from the lower edge of the page.
    """

    def __init__(
        self, target: BinaryIO, *, title: str, subject: str, head: Letterhead, made_at: datetime
    ) -> None:
        self.canvas = TaggedCanvas(
            target, title=legible(title), author=legible(head.name), made_at=made_at
        )
        self.head = head
        self._running = f"{title} · {subject}"
        self._draw_letterhead()
        self.y = FIRST_TOP

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        font: str = REGULAR,
        size: float = 9,
        color: Color = INK,
        align: Align = "left",
    ) -> None:
        """Draw `text` at the base line `y`, inside a leaf or an artifact of the canvas.

        The caller has made it legible and cut it to fit. `self.y` does not move.
        """
        if align != "left":
            x -= width_of(text, font, size) * (0.5 if align == "center" else 1)
        self.canvas.fill(color)
        self.canvas.show(x, y, text, font, size)

    def amount(
        self, x: float, y: float, text: str, *, width: float, font: str, size: float, color: Color
    ) -> None:
        """Draw an amount that ends at `x`, smaller where it is wider than `width`; never cut."""
        wide = width_of(text, font, size)
        if wide > width:
            wide, size = width, size * width / wide
        self.text(x - wide, y, text, font=font, size=size, color=color)

    def box(self, x: float, y: float, width: float, height: float, color: Color) -> None:
        """Fill a rectangle; `x` and `y` are its lower left corner."""
        self.canvas.fill(color)
        self.canvas.block(x, y, width, height)

    def rule(
        self,
        y: float,
        *,
        left: float = LEFT,
        right: float = RIGHT,
        color: Color = RULE,
        thickness: float = 0.6,
    ) -> None:
        """Draw a horizontal line, by default from margin to margin."""
        self.box(left, y - thickness / 2, right - left, thickness, color)

    def need(self, height: float) -> None:
        """Begin the next page if fewer than `height` points are left on this page."""
        if self.y - height < BOTTOM and self.y < NEXT_TOP:
            self.turn()

    def turn(self) -> None:
        """Begin the next page."""
        self.canvas.showPage()
        with self.canvas.artifact():
            self._draw_mark(LEFT, PAGE_HEIGHT - 48, 14)
            self.text(LEFT + 20, PAGE_HEIGHT - 44.5, self._name(200, 9.5), font=BOLD, size=9.5)
            running = fitted(self._running, REGULAR, 8, 270)
            self.text(RIGHT, PAGE_HEIGHT - 44.5, running, size=8, color=MUTED, align="right")
            self.rule(PAGE_HEIGHT - 56)
        self.y = NEXT_TOP

    def finish(self) -> None:
        """Draw the footer of every page and write the end of the file."""
        self.canvas.finish(self._draw_foot)

    def _name(self, width: float, size: float) -> str:
        return fitted(self.head.name, BOLD, size, width)

    def _draw_letterhead(self) -> None:
        top = PAGE_HEIGHT - 66
        with self.canvas.artifact():
            self.box(0, PAGE_HEIGHT - 6, PAGE_WIDTH, 6, DEEP)
            self._draw_mark(LEFT, top - 4, 28)
            self.rule(top - 16)
        with self.canvas.leaf("P"):
            self.text(LEFT + 38, top + 5, self._name(250, 15), font=BOLD, size=15, color=DEEP)
        contact = f"{self.head.phone} · {self.head.website}"
        with self.canvas.leaf("P"):
            for index, line in enumerate([*self.head.address_lines[:2], contact]):
                shown = fitted(line, REGULAR, 8, 210)
                y = top + 16 - index * 11
                self.text(RIGHT, y, " " + shown, size=8, color=MUTED, align="right")

    def _draw_mark(self, x: float, y: float, side: float) -> None:
        """Draw the bank's mark: a door within a door."""
        canvas, unit = self.canvas, side / 28
        canvas.fill(TEAL)
        canvas.roundRect(x, y, side, side, 6 * unit, stroke=0, fill=1)
        for color, half, height in ((WHITE, 7.5, 12.0), (TEAL, 4.0, 9.0)):
            middle, foot = x + 14 * unit, y + 5 * unit
            canvas.fill(color)
            canvas.block(middle - half * unit, foot, 2 * half * unit, height * unit)
            canvas.circle(middle, foot + height * unit, half * unit, stroke=0, fill=1)

    def _draw_foot(self, page: int, pages: int) -> None:
        with self.canvas.artifact():
            self.rule(50)
            name = fitted(f"{self.head.name} · {self.head.phone}", REGULAR, 7.5, 380)
            self.text(LEFT, 37, name, size=7.5, color=MUTED)
            place = f"Page {page} of {pages}"
            self.text(RIGHT, 37, place, size=7.5, color=MUTED, align="right")


@lru_cache(maxsize=400)
def day_text(day: date) -> str:
    """Return a date as documents spell it, for example `May 1, 2026`."""
    return f"{day:%b} {day.day}, {day.year}"


def period_text(start: date, end: date) -> str:
    """Return a period, for example `May 1` to `May 31, 2026` with a dash between."""
    first = f"{start:%b} {start.day}" if start.year == end.year else day_text(start)
    return f"{first} \N{EN DASH} {day_text(end)}"


def full_lines(texts: Sequence[str], *, width: float, most: int, size: float = 9) -> list[str]:
    """Return texts wrapped to lines of `width` points; each text has at most `most` lines.

    The last line of a longer text is cut with an ellipsis.
    """
    lines: list[str] = []
    for text in texts:
        whole = wrapped(text, REGULAR, size, width)
        rest = " ".join(whole[most - 1 :])
        lines += whole if len(whole) <= most else [*whole[: most - 1], cut(rest, width, size)]
    return lines


def cut(text: str, width: float, size: float) -> str:
    """Return `text` in the regular typeface, cut with an ellipsis to `width` points."""
    return fitted(text, REGULAR, size, width)

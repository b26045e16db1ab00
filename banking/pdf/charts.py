"""Charts drawn on the page: bars over time, and shares as horizontal bars."""

from collections.abc import Sequence
from dataclasses import dataclass

from banking.money import usd_text
from banking.pdf.pages import INK, LEFT, MUTED, PALE, RULE, TEAL, WIDTH, PdfDocument
from banking.pdf.typefaces import BOLD, REGULAR, fitted, legible

HEIGHT = 120.0  # of the bars
AXIS = 52.0  # left of the bars, for the scale
STEPS = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)
LABELLED = 12  # bars that each have their own label
SPOKEN = 24  # bars that the alternative text names
SHARE_ROW = 20.0
SHARES = 7  # bars of their own; the others are one


@dataclass(frozen=True)
class Bar:
    """One bar. Units: cents, negative below the line."""

    label: str
    amount_cents: int


def draw_bars(document: PdfDocument, title: str, bars: Sequence[Bar]) -> None:
    """Draw vertical bars with a scale of round amounts. Needs at least one bar."""
    document.need(HEIGHT + 40)
    top = max(_ceiling(max(bar.amount_cents for bar in bars)), 0)
    low = -_ceiling(-min(0, *(bar.amount_cents for bar in bars)))
    foot = document.y - HEIGHT - 10
    scale = HEIGHT / (top - low or 1)
    with document.canvas.figure(_spoken(title, bars), (LEFT, foot - 18, LEFT + WIDTH, document.y)):
        _draw_scale(document, foot, low, top, scale)
        _draw_columns(document, bars, foot - low * scale, scale, foot - 13)
    document.y = foot - 34


def _draw_scale(document: PdfDocument, foot: float, low: int, top: int, scale: float) -> None:
    marks = {low, 0, top // 2, top} if top > -low else {low, low // 2, 0, top}
    for mark in sorted(marks):
        y = foot + (mark - low) * scale
        document.rule(y, left=LEFT + AXIS, color=MUTED if mark == 0 else RULE, thickness=0.5)
        place = (LEFT + AXIS - 6, y - 2.5, _dollars(mark))
        document.amount(*place, width=AXIS - 8, font=REGULAR, size=7, color=MUTED)


def _draw_columns(
    document: PdfDocument, bars: Sequence[Bar], zero: float, scale: float, label_y: float
) -> None:
    slot = (WIDTH - AXIS) / len(bars)
    wide = min(slot * 0.62, 34)
    every = -(-len(bars) // LABELLED)
    for index, bar in enumerate(bars):
        middle = LEFT + AXIS + (index + 0.5) * slot
        document.box(middle - wide / 2, zero, wide, bar.amount_cents * scale, TEAL)
        if index % every == 0:
            label = fitted(bar.label, REGULAR, 7.5, slot * every - 2)
            document.text(middle, label_y, label, size=7.5, color=MUTED, align="center")


def largest(bars: Sequence[Bar], *, most: int = SHARES) -> list[Bar]:
    """Return the `most` largest bars, largest first, and a bar with the sum of others, if any."""
    ranked = sorted(bars, key=lambda bar: (-bar.amount_cents, bar.label))
    rest = ranked[most:]
    others = Bar(f"{len(rest)} others", sum(bar.amount_cents for bar in rest))
    return [*ranked[:most], others] if rest else ranked


def draw_shares(document: PdfDocument, title: str, bars: Sequence[Bar]) -> None:
    """Draw horizontal bars with label, amount and percentage of the whole. Needs at least one bar.

    Negative bars have no length, and the whole is the sum of the others.
    """
    height = SHARE_ROW * len(bars)
    document.need(height + 20)
    whole = sum(max(bar.amount_cents, 0) for bar in bars)
    most = max(1, *(bar.amount_cents for bar in bars))
    box = (LEFT, document.y - height - 4, LEFT + WIDTH, document.y)
    with document.canvas.figure(_spoken(title, bars), box):
        for index, bar in enumerate(bars):
            _draw_share(document, document.y - SHARE_ROW * (index + 1), bar, most, whole)
    document.y -= height + 22


def _draw_share(document: PdfDocument, y: float, bar: Bar, most: int, whole: int) -> None:
    canvas, left, wide = document.canvas, LEFT + 130, WIDTH - 270
    document.text(LEFT, y + 5, fitted(bar.label, REGULAR, 9, 122))
    for color, part in ((PALE, 1.0), (TEAL, max(bar.amount_cents, 0) / most)):
        if part * wide >= 1:
            canvas.fill(color)
            canvas.roundRect(left, y + 3, part * wide, 10, min(3, part * wide / 2), 0, 1)
    amount = usd_text(bar.amount_cents)
    x = LEFT + WIDTH - 44
    document.amount(x, y + 5, amount, width=90, font=BOLD, size=9, color=INK)
    share = f"{max(bar.amount_cents, 0) * 100 / (whole or 1):.1f} %"
    document.text(LEFT + WIDTH, y + 5, share, size=8.5, color=MUTED, align="right")


def _ceiling(cents: int) -> int:
    """Return the smallest round amount that is not smaller, in cents; 0 for a negative amount."""
    if cents <= 0:
        return 0
    magnitude = 200
    while magnitude * 10 < cents:
        magnitude *= 10
    return next(int(magnitude * step) for step in STEPS if magnitude * step >= cents)


def _dollars(cents: int) -> str:
    return usd_text(cents).removesuffix(".00")


def _spoken(title: str, bars: Sequence[Bar]) -> str:
    named = [f"{bar.label} {usd_text(bar.amount_cents)}" for bar in bars[:SPOKEN]]
    rest = [f"and {len(bars) - SPOKEN} more"] if len(bars) > SPOKEN else []
    return legible(f"{title}: {', '.join([*named, *rest])}.")

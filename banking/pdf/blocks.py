"""Blocks of documents: title, address with facts, key figures, headings, paragraphs."""

from collections.abc import Sequence
from dataclasses import dataclass

from banking.pdf.pages import (
    DEEP,
    INK,
    LEFT,
    MUTED,
    RIGHT,
    RULE,
    SHADE,
    TEAL,
    WHITE,
    WIDTH,
    PdfDocument,
    full_lines,
)
from banking.pdf.typefaces import BOLD, REGULAR, fitted, fitting_size, legible, wrapped

LINES = 40  # of a paragraph that stay together
GAP = 8.0  # between key figures
VALUE = 330.0  # width of a detail's value


@dataclass(frozen=True)
class Fact:
    """A label and its value, both as shown."""

    label: str
    value: str


def draw_title(document: PdfDocument, title: str, subtitle: str) -> None:
    """Draw the title and the subtitle of the document."""
    with document.canvas.leaf("H1"):
        shown = fitted(title, BOLD, 21, WIDTH)
        document.text(LEFT, document.y - 20, shown, font=BOLD, size=21, color=DEEP)
    with document.canvas.leaf("P"):
        shown = fitted(subtitle, REGULAR, 10.5, WIDTH)
        document.text(LEFT, document.y - 37, shown, size=10.5, color=MUTED)
    document.y -= 62


def draw_address(document: PdfDocument, lines: Sequence[str], facts: Sequence[Fact]) -> None:
    """Draw the addressee on the left, with the first line in bold, and facts on the right.

    `lines` has at least one line; at most five lines are drawn after the first.
    """
    top, width = document.y, WIDTH * 0.46
    name, *address = lines
    shown = [*full_lines([name], width=width * 0.92, most=2, size=10)]
    with document.canvas.leaf("P"):
        for index, line in enumerate(shown):
            document.text(LEFT, top - 9 - 13 * index, line + " ", font=BOLD, size=10)
        for index, line in enumerate(address[:5], start=len(shown)):
            fits = fitted(line, REGULAR, 9.5, width)
            document.text(LEFT, top - 9 - 13 * index, fits + " ", size=9.5)
    for index, fact in enumerate(facts):
        _draw_fact(document, LEFT + WIDTH * 0.54, top - 9 - 14 * index, fact)
    document.y = top - max(13 * (len(shown) + len(address[:5])), 14 * len(facts)) - 18


def _draw_fact(document: PdfDocument, x: float, y: float, fact: Fact) -> None:
    label = fitted(fact.label, REGULAR, 9, 110)
    value = fitted(fact.value, BOLD, 9, RIGHT - x - 100)
    with document.canvas.leaf("P"):
        document.text(x, y, label + " ", size=9, color=MUTED)
        document.text(RIGHT, y, value, font=BOLD, size=9, align="right")
    with document.canvas.artifact():
        document.rule(y - 4.2, left=x, thickness=0.5)


def draw_key_figures(document: PdfDocument, figures: Sequence[Fact]) -> None:
    """Draw a row of boxes with one figure each; the last has another color. Needs a figure."""
    document.need(70)
    width = (WIDTH - GAP * (len(figures) - 1)) / len(figures)
    for index, figure in enumerate(figures):
        last = index == len(figures) - 1
        _draw_key_figure(document, LEFT + index * (width + GAP), width, figure, stands_out=last)
    document.y -= 74


def _draw_key_figure(
    document: PdfDocument, x: float, width: float, figure: Fact, *, stands_out: bool
) -> None:
    y, canvas = document.y - 50, document.canvas
    with canvas.artifact():
        canvas.fill(TEAL if stands_out else SHADE)
        canvas.setStrokeColorRGB(*(TEAL if stands_out else RULE))
        canvas.setLineWidth(0.6)
        canvas.roundRect(x, y, width, 50, 5, stroke=1, fill=1)
    label = fitted(figure.label, REGULAR, 8, width - 20)
    size = fitting_size(legible(figure.value), BOLD, 14, width - 20)
    colors = (WHITE, WHITE) if stands_out else (MUTED, INK)
    with canvas.leaf("P"):
        document.text(x + 10, y + 33, label + " ", size=8, color=colors[0])
        value = legible(figure.value)
        document.text(x + 10, y + 13, value, font=BOLD, size=size, color=colors[1])


def draw_heading(document: PdfDocument, text: str, *, keep: float = 60) -> None:
    """Draw a heading on a page that has room for it and for `keep` points below it."""
    document.need(26 + keep)
    with document.canvas.leaf("H2"):
        shown = fitted(text, BOLD, 12.5, WIDTH)
        document.text(LEFT, document.y - 12, shown, font=BOLD, size=12.5, color=DEEP)
    document.y -= 24


def draw_paragraph(
    document: PdfDocument, text: str, *, size: float = 9.5, muted: bool = False
) -> None:
    """Draw a text over the full width, with line breaks added; pages turn as needed."""
    lines = wrapped(text, REGULAR, size, WIDTH)
    step = size * 1.45
    for start in range(0, len(lines), LINES):
        block = lines[start : start + LINES]
        document.need(step * len(block))
        with document.canvas.leaf("P"):
            for line in block:
                document.y -= step
                document.text(
                    LEFT, document.y + 2, line + " ", size=size, color=MUTED if muted else INK
                )
    document.y -= size * 0.8


def draw_details(document: PdfDocument, heading: str, facts: Sequence[Fact]) -> None:
    """Draw a heading and facts below each other, tagged as a table.

    A long value takes up to three lines and is cut after them.
    """
    rows = [(fact.label, full_lines([fact.value], width=VALUE - 10, most=3)) for fact in facts]
    draw_heading(document, heading, keep=sum(9 + 12.5 * len(lines) for _, lines in rows))
    with document.canvas.artifact():
        document.rule(document.y, color=DEEP, thickness=1)
    with document.canvas.element("Table"):
        for label, lines in rows:
            _draw_detail(document, label, lines)
    document.y -= 18


def _draw_detail(document: PdfDocument, label: str, lines: Sequence[str]) -> None:
    canvas, top = document.canvas, document.y - 14
    with canvas.element("TR"):
        with canvas.leaf("TH", b"/A<</O/Table/Scope/Row>>"):
            document.text(LEFT + 6, top, label, color=MUTED)
        with canvas.leaf("TD"):
            for index, line in enumerate(lines):
                document.text(RIGHT - VALUE, top - 12.5 * index, line + " ")
    document.y -= 9 + 12.5 * len(lines)
    with canvas.artifact():
        document.rule(document.y, thickness=0.4)

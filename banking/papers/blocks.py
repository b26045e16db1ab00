"""What papers are composed of: title, address with facts, key figures, headings, paragraphs."""

from collections.abc import Sequence
from dataclasses import dataclass

from banking.papers.pages import (
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
    Paper,
    full_lines,
)
from banking.papers.typefaces import BOLD, REGULAR, fitted, fitting_size, legible, wrapped

LINES = 40  # of a paragraph that stay together
GAP = 8.0  # between key figures
VALUE = 330.0  # width of a detail's value


@dataclass(frozen=True)
class Fact:
    """A label and what it says, both as shown."""

    label: str
    value: str


def draw_title(paper: Paper, title: str, subtitle: str) -> None:
    """Draw the paper's name and what it is about."""
    with paper.canvas.leaf("H1"):
        shown = fitted(title, BOLD, 21, WIDTH)
        paper.text(LEFT, paper.y - 20, shown, font=BOLD, size=21, color=DEEP)
    with paper.canvas.leaf("P"):
        shown = fitted(subtitle, REGULAR, 10.5, WIDTH)
        paper.text(LEFT, paper.y - 37, shown, size=10.5, color=MUTED)
    paper.y -= 62


def draw_address(paper: Paper, lines: Sequence[str], facts: Sequence[Fact]) -> None:
    """Draw who it is for on the left, its first line bold, and facts on the right."""
    top, width = paper.y, WIDTH * 0.46
    name, *address = lines
    shown = [*full_lines([name], width=width * 0.92, most=2, size=10)]
    with paper.canvas.leaf("P"):
        for index, line in enumerate(shown):
            paper.text(LEFT, top - 9 - 13 * index, line + " ", font=BOLD, size=10)
        for index, line in enumerate(address[:5], start=len(shown)):
            fits = fitted(line, REGULAR, 9.5, width)
            paper.text(LEFT, top - 9 - 13 * index, fits + " ", size=9.5)
    for index, fact in enumerate(facts):
        _draw_fact(paper, LEFT + WIDTH * 0.54, top - 9 - 14 * index, fact)
    paper.y = top - max(13 * (len(shown) + len(address[:5])), 14 * len(facts)) - 18


def _draw_fact(paper: Paper, x: float, y: float, fact: Fact) -> None:
    label = fitted(fact.label, REGULAR, 9, 110)
    value = fitted(fact.value, BOLD, 9, RIGHT - x - 100)
    with paper.canvas.leaf("P"):
        paper.text(x, y, label + " ", size=9, color=MUTED)
        paper.text(RIGHT, y, value, font=BOLD, size=9, align="right")
    with paper.canvas.artifact():
        paper.rule(y - 4.2, left=x, thickness=0.5)


def draw_key_figures(paper: Paper, figures: Sequence[Fact]) -> None:
    """Draw a row of boxes with one figure each; the last, the outcome, stands out."""
    paper.need(70)
    width = (WIDTH - GAP * (len(figures) - 1)) / len(figures)
    for index, figure in enumerate(figures):
        last = index == len(figures) - 1
        _draw_key_figure(paper, LEFT + index * (width + GAP), width, figure, stands_out=last)
    paper.y -= 74


def _draw_key_figure(
    paper: Paper, x: float, width: float, figure: Fact, *, stands_out: bool
) -> None:
    y, canvas = paper.y - 50, paper.canvas
    with canvas.artifact():
        canvas.fill(TEAL if stands_out else SHADE)
        canvas.setStrokeColorRGB(*(TEAL if stands_out else RULE))
        canvas.setLineWidth(0.6)
        canvas.roundRect(x, y, width, 50, 5, stroke=1, fill=1)
    label = fitted(figure.label, REGULAR, 8, width - 20)
    size = fitting_size(legible(figure.value), BOLD, 14, width - 20)
    colors = (WHITE, WHITE) if stands_out else (MUTED, INK)
    with canvas.leaf("P"):
        paper.text(x + 10, y + 33, label + " ", size=8, color=colors[0])
        value = legible(figure.value)
        paper.text(x + 10, y + 13, value, font=BOLD, size=size, color=colors[1])


def draw_heading(paper: Paper, text: str, *, keep: float = 60) -> None:
    """Draw a heading that stays with the next `keep` points."""
    paper.need(26 + keep)
    with paper.canvas.leaf("H2"):
        shown = fitted(text, BOLD, 12.5, WIDTH)
        paper.text(LEFT, paper.y - 12, shown, font=BOLD, size=12.5, color=DEEP)
    paper.y -= 24


def draw_paragraph(paper: Paper, text: str, *, size: float = 9.5, muted: bool = False) -> None:
    """Draw running text."""
    lines = wrapped(text, REGULAR, size, WIDTH)
    step = size * 1.45
    for start in range(0, len(lines), LINES):
        block = lines[start : start + LINES]
        paper.need(step * len(block))
        with paper.canvas.leaf("P"):
            for line in block:
                paper.y -= step
                paper.text(LEFT, paper.y + 2, line + " ", size=size, color=MUTED if muted else INK)
    paper.y -= size * 0.8


def draw_details(paper: Paper, heading: str, facts: Sequence[Fact]) -> None:
    """Draw facts below each other, read as a table; a long value goes on in the next line."""
    rows = [(fact.label, full_lines([fact.value], width=VALUE - 10, most=3)) for fact in facts]
    draw_heading(paper, heading, keep=sum(9 + 12.5 * len(lines) for _, lines in rows))
    with paper.canvas.artifact():
        paper.rule(paper.y, color=DEEP, thickness=1)
    with paper.canvas.element("Table"):
        for label, lines in rows:
            _draw_detail(paper, label, lines)
    paper.y -= 18


def _draw_detail(paper: Paper, label: str, lines: Sequence[str]) -> None:
    canvas, top = paper.canvas, paper.y - 14
    with canvas.element("TR"):
        with canvas.leaf("TH", b"/A<</O/Table/Scope/Row>>"):
            paper.text(LEFT + 6, top, label, color=MUTED)
        with canvas.leaf("TD"):
            for index, line in enumerate(lines):
                paper.text(RIGHT - VALUE, top - 12.5 * index, line + " ", font=BOLD)
    paper.y -= 9 + 12.5 * len(lines)
    with canvas.artifact():
        paper.rule(paper.y, thickness=0.4)

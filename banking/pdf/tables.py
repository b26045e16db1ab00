"""Tables that break well across pages, drawn row by row from an iterator.

The head is repeated on each page; the last two rows and the totals stay together; a text that is
too long is cut with an ellipsis, an amount never: it becomes smaller.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from banking.pdf.pages import (
    BOTTOM,
    DEEP,
    GREEN,
    INK,
    LEFT,
    MUTED,
    NEXT_TOP,
    SHADE,
    WHITE,
    WIDTH,
    PdfDocument,
)
from banking.pdf.tagging import Color
from banking.pdf.typefaces import BOLD, REGULAR, fitted

ROW, HEAD, TOTAL = 17.0, 19.0, 22.0
PAD, SIZE = 6.0, 8.5
TOGETHER = 2  # rows at the end that are not parted
Row = Sequence[str]


@dataclass(frozen=True)
class Column:
    """A column of a table. Amounts end at its right edge.

    In a tinted column, amounts without a minus are green.
    """

    title: str
    share: float  # of the table's width, in relation to the other columns
    is_amount: bool = False
    is_tinted: bool = False


def draw_table(
    document: PdfDocument,
    columns: Sequence[Column],
    rows: Iterable[Row],
    *,
    total: Row | None = None,
    empty: str = "Nothing in this period.",
) -> None:
    """Draw a table of texts and, if `total` is given, a last row of totals.

    Empty cells right after the first cell of `total` widen that cell. `empty` is the text of a
    table without rows.
    """
    table = _Table(document, columns, total)
    table.need(TOGETHER)
    with document.canvas.element("Table"):
        table.draw_head(repeated=False)
        count = 0
        for count, (row, behind) in enumerate(_ahead(rows), start=1):
            table.draw_row(row, behind, shaded=count % 2 == 0)
        if not count:
            table.draw_empty(empty)
        table.draw_total()
    document.y -= 16


def _ahead(rows: Iterable[Row]) -> Iterator[tuple[Row, int]]:
    """Yield each row with the number of rows that follow it, at most `TOGETHER`."""
    waiting: deque[Row] = deque()
    for row in rows:
        waiting.append(row)
        if len(waiting) > TOGETHER:
            yield waiting.popleft(), TOGETHER
    while waiting:
        yield waiting.popleft(), len(waiting)


class _Table:
    """A table that is being drawn: the places of its columns, and a method for each kind of row."""

    def __init__(self, document: PdfDocument, columns: Sequence[Column], total: Row | None) -> None:
        self.document, self.columns, self.total = document, columns, total
        unit = WIDTH / sum(column.share for column in columns)
        self.widths = [column.share * unit for column in columns]
        self.lefts = [LEFT + sum(self.widths[:index]) for index in range(len(columns))]

    @property
    def total_height(self) -> float:
        return TOTAL if self.total else 0

    def need(self, rows: int) -> None:
        self.document.need(HEAD + rows * ROW + self.total_height)

    def draw_head(self, *, repeated: bool) -> None:
        """Draw the titles of the columns; on later pages, they are tagged as decoration."""
        document, canvas = self.document, self.document.canvas
        with canvas.artifact():
            document.box(LEFT, document.y - HEAD, WIDTH, HEAD, DEEP)
        titles = [column.title for column in self.columns]
        if repeated:
            with canvas.artifact():
                for index, title in enumerate(titles):
                    self._draw_cell(index, title, document.y - 12.8, BOLD, WHITE)
        else:
            with canvas.element("TR"):
                for index, title in enumerate(titles):
                    with canvas.leaf("TH", b"/A<</O/Table/Scope/Column>>"):
                        self._draw_cell(index, title, document.y - 12.8, BOLD, WHITE)
        document.y -= HEAD

    def draw_row(self, row: Row, behind: int, *, shaded: bool) -> None:
        """Draw a row, on the next page if the row and the rows kept with it do not fit.

        `behind` is the number of rows that follow, at most TOGETHER.
        """
        document, canvas = self.document, self.document.canvas
        kept = ROW * (1 + behind) + self.total_height if behind < TOGETHER else ROW
        if document.y - kept < BOTTOM and document.y < NEXT_TOP - HEAD:
            document.turn()
            self.draw_head(repeated=True)
        document.y -= ROW
        with canvas.artifact():
            if shaded:
                document.box(LEFT, document.y, WIDTH, ROW, SHADE)
            document.rule(document.y, thickness=0.3)
        with canvas.element("TR"):
            for index, cell in enumerate(row):
                with canvas.leaf("TD"):
                    self._draw_cell(
                        index, cell, document.y + 5.4, REGULAR, self._color(index, cell)
                    )

    def draw_empty(self, text: str) -> None:
        document, canvas = self.document, self.document.canvas
        document.y -= ROW + 6
        span = b"/A<</O/Table/ColSpan %d>>" % len(self.columns)
        with canvas.element("TR"), canvas.leaf("TD", span):
            document.text(LEFT + PAD, document.y + 8, text, size=SIZE, color=MUTED)
        with canvas.artifact():
            document.rule(document.y)

    def draw_total(self) -> None:
        """Draw the row of totals; its first cell also takes the width of empty cells after it."""
        if not self.total:
            return
        document, canvas = self.document, self.document.canvas
        document.y -= TOTAL
        with canvas.artifact():
            document.rule(document.y + TOTAL, color=DEEP, thickness=1)
        span = next((i for i, cell in enumerate(self.total) if i and cell), len(self.total))
        wide = sum(self.widths[:span])
        with canvas.element("TR"):
            with canvas.leaf("TH", b"/A<</O/Table/Scope/Row/ColSpan %d>>" % span):
                label = fitted(self.total[0], BOLD, 9, wide - 2 * PAD)
                document.text(LEFT + PAD, document.y + 7, label, font=BOLD)
            for index in range(span, len(self.total)):
                with canvas.leaf("TD"):
                    self._draw_cell(index, self.total[index], document.y + 7, BOLD, INK)

    def _color(self, index: int, cell: str) -> Color:
        return GREEN if self.columns[index].is_tinted and not cell.startswith("-") else INK

    def _draw_cell(self, index: int, cell: str, y: float, font: str, color: Color) -> None:
        document, width = self.document, self.widths[index] - 2 * PAD
        x = self.lefts[index] + PAD
        if self.columns[index].is_amount:
            document.amount(x + width, y, cell, width=width, font=font, size=SIZE, color=color)
        else:
            shown = fitted(cell, font, SIZE, width)
            document.text(x, y, shown, font=font, size=SIZE, color=color)

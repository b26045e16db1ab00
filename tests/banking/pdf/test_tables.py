from io import BytesIO

import pytest

from banking.pdf.pages import PdfDocument
from banking.pdf.tables import Column, draw_table
from tests.banking.pdf.reading import ReadDocument
from tests.banking.pdf.samples import HEAD, MADE_AT

COLUMNS = [Column("Item", 3), Column("Note", 1), Column("Amount", 1, is_amount=True)]


def drawn(count, *, total=None, note=""):
    """Return a document with one table of `count` rows."""
    target = BytesIO()
    document = PdfDocument(target, title="Table", subject="Test", head=HEAD, made_at=MADE_AT)
    rows = ((f"row {number}", note, f"${number}.00") for number in range(count))
    draw_table(document, COLUMNS, rows, total=total)
    document.finish()
    return ReadDocument(target.getvalue())


def on_page(page):
    return [text for text in page.marked.values() if text.startswith("row ")]


@pytest.mark.parametrize("count", range(28, 84))
def test_the_total_stays_with_the_last_two_rows(count):
    document = drawn(count, total=("Total", "", "$1.00"))

    last = document.pages[-1]
    assert "Total" in last.marked.values()
    assert len(on_page(last)) >= 2
    assert sum(len(on_page(page)) for page in document.pages) == count


@pytest.mark.parametrize("count", range(28, 84))
def test_no_row_is_alone_on_a_page(count):
    assert all(len(on_page(page)) >= 2 for page in drawn(count).pages)


def test_the_head_is_repeated_but_read_once():
    document = drawn(100)

    assert len(document.pages) == 3
    assert all("Item\nNote\nAmount\n" in page.decoration for page in document.pages[1:])
    assert [cell.text for cell in document.structure.all("TH")] == ["Item", "Note", "Amount"]


def test_a_row_that_fits_the_page_does_not_turn_it():
    per_page = len(on_page(drawn(200).pages[1]))

    assert per_page == 37


def test_a_long_text_is_cut_with_an_ellipsis():
    row = drawn(1, note="a very long note that goes on").rows()[1]

    assert row[1] == "a very long note that…"


def test_rows_are_taken_one_by_one():
    taken = []

    def rows():
        for number in range(200):
            taken.append(number)
            yield (f"row {number}", "", "")

    target = BytesIO()
    document = PdfDocument(target, title="Table", subject="Test", head=HEAD, made_at=MADE_AT)
    ahead = []
    turn = document.turn
    document.turn = lambda: (ahead.append(len(taken)), turn())
    draw_table(document, COLUMNS, rows())

    assert ahead[0] < 40
    assert len(taken) == 200

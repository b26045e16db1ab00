"""PDF files read by the child process: pages, findings, and files made to exhaust it."""

import io
import time

import pytest
from reportlab.pdfgen.canvas import Canvas

from foundation.pdf import child_processes
from foundation.pdf.child_processes import Unreadable
from foundation.pdf.findings import Finding
from foundation.pdf.reading import check, draw_page
from tests.pdf_files import make_pdf

ITSELF = b"/A Do " * 200
FORM = (
    b"<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Length %d"
    b" /Resources << /XObject << /A 5 0 R >> >> >>\nstream\n%s\nendstream"
)
BOMBS = {
    "endless drawing": make_pdf(drawing=b"q 0 0 500 500 re f Q\n" * 50_000, times=400),
    "two gigabytes of blanks": make_pdf(drawing=bytes(1_000_000), times=2000),
    "a drawing within itself": make_pdf(
        FORM % (len(ITSELF), ITSELF),
        page=b"/Resources << /XObject << /A 5 0 R >> >>",
        drawing=b"/A Do " * 500,
    ),
}


def pages(*texts):
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(200, 100))
    for text in texts:
        canvas.drawString(10, 50, text)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def test_a_page_is_drawn():
    first, second = (draw_page(pages("one", "two"), number) for number in (1, 2))

    assert (first.number, first.count, second.number) == (1, 2, 2)
    assert first.png.startswith(b"\x89PNG")
    assert first.png != second.png


def test_after_the_last_page_comes_the_last_page():
    assert draw_page(pages("one", "two"), 9).number == 2


@pytest.mark.parametrize("content", [b"", b"no PDF", b"%PDF-1.7\n"])
def test_what_is_no_pdf_is_unreadable(content):
    with pytest.raises(Unreadable) as refused:
        draw_page(content, 1)

    assert not refused.value.is_slow
    assert check(content) == Finding.DAMAGED


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_bomb_ends_within_the_limits(bomb):
    start = time.monotonic()

    with pytest.raises(Unreadable) as refused:
        draw_page(BOMBS[bomb], 1)

    assert refused.value.is_slow
    assert time.monotonic() - start < child_processes.SECONDS + 5
    assert draw_page(pages("one"), 1).count == 1  # this process goes on


def test_a_check_ends_within_the_limits(monkeypatch):
    monkeypatch.setattr(child_processes, "SECONDS", 0.01)

    assert check(make_pdf()) == Finding.SLOW

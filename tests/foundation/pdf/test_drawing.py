"""Pages drawn as pictures."""

import io

import pytest
from PIL import Image
from pypdf import PdfWriter
from reportlab.pdfgen.canvas import Canvas

from foundation.pdf.drawing import PIXELS_MAX, draw_page
from tests.pdf_files import make_pdf


def draw(content):
    """Return the only page as a picture."""
    head, _line, png = draw_page(1)(content).partition(b"\n")
    assert head == b"1 1"
    return Image.open(io.BytesIO(png))


def filled_form():
    """Return a form in which a text field was filled in."""
    empty, filled = io.BytesIO(), io.BytesIO()
    canvas = Canvas(empty, pagesize=(200, 100))
    canvas.acroForm.textfield(name="name", x=10, y=10, width=180, height=80, borderWidth=0)
    canvas.showPage()
    canvas.save()
    writer = PdfWriter(clone_from=empty)
    writer.update_page_form_field_values(writer.pages[0], {"name": "Ada Byron"})
    writer.write(filled)
    return filled.getvalue(), empty.getvalue()


def test_a_picture_is_wide_enough_to_read():
    assert draw(make_pdf(size=(200, 100))).size == (1400, 700)


def test_what_was_typed_into_a_form_is_drawn():
    filled, empty = filled_form()

    assert draw(filled).tobytes() != draw(empty).tobytes()


@pytest.mark.parametrize("size", [(10**9, 10**9), (1, 14_400), (14_400, 1)])
def test_a_picture_is_never_huge(size):
    width, height = draw(make_pdf(size=size)).size

    assert width * height <= PIXELS_MAX * 1.02

from functools import partial
from io import BytesIO

import pypdfium2
import pytest
from PIL import ImageChops
from reportlab.pdfbase import pdfmetrics

from banking.choices import LetterVariant
from banking.pdf import font_subsets, typefaces
from banking.pdf.letters import render_letter
from banking.pdf.pages import PdfDocument
from banking.pdf.signing import make_signing_identity, sign
from banking.pdf.statements import render_statement
from tests.banking.pdf.reading import ReadDocument
from tests.banking.pdf.samples import (
    HEAD,
    MADE_AT,
    make_letter,
    make_statement,
    statement_lines,
)

TEXT = "Ünïted Çafé “Åströmß” €1,234.56 ﬁ½ Ž"
PAGE_MAX_BYTES = 15_000
NEXT_PAGE_MAX_BYTES = 7_000  # less than the two fonts


def drawn(text):
    """Return a document that shows a text."""
    target = BytesIO()
    document = PdfDocument(target, title="Text", subject="", head=HEAD, made_at=MADE_AT)
    with document.canvas.leaf("P"):
        document.text(60, 400, text, size=30)
        document.text(60, 300, text, font=typefaces.BOLD, size=30)
    document.finish()
    return target.getvalue()


def picture(pdf):
    return pypdfium2.PdfDocument(pdf)[0].render(scale=4).to_pil().convert("L")


@pytest.fixture
def whole_fonts(monkeypatch):
    """Have documents drawn with subsets as reportlab makes them."""
    for name in (typefaces.REGULAR, typefaces.BOLD):
        face = pdfmetrics.getFont(name).face
        monkeypatch.setattr(face, "makeSubset", partial(type(face).makeSubset, face))


def test_reduced_fonts_look_the_same(request):
    reduced = picture(drawn(TEXT))
    request.getfixturevalue("whole_fonts")
    whole = picture(drawn(TEXT))

    changes = ImageChops.difference(reduced, whole).histogram()
    assert sum(changes[64:]) == 0  # the edges of letters alone, by less than a quarter of black


def test_texts_can_be_copied_from_reduced_fonts():
    assert ReadDocument(drawn(TEXT)).pages[0].text.count(TEXT) == 2


@pytest.mark.parametrize("variant", LetterVariant)
def test_a_signed_letter_is_small(variant):
    identity = make_signing_identity(name=HEAD.name, at=MADE_AT)

    signed = sign(
        render_letter(make_letter(variant)), identity=identity, reason="Account letter", at=MADE_AT
    )

    assert len(signed) < PAGE_MAX_BYTES


def test_a_statement_that_fills_its_page_is_small():
    full, more = (render_statement(make_statement(statement_lines(count))) for count in (18, 19))

    assert [len(ReadDocument(pdf).pages) for pdf in (full, more)] == [1, 2]
    assert len(full) < PAGE_MAX_BYTES


def test_a_further_page_shares_the_fonts_of_the_first():
    few, many = (render_statement(make_statement(statement_lines(count))) for count in (100, 400))
    pages = [len(ReadDocument(pdf).pages) for pdf in (few, many)]

    assert (len(many) - len(few)) / (pages[1] - pages[0]) < NEXT_PAGE_MAX_BYTES


def test_a_font_has_the_shown_characters_only():
    few, more = len(drawn("aaaa")), len(drawn("abcd" * 3 + "WXYZ" * 3))

    assert few < more


def test_runs_of_characters_are_one_range():
    codes = [0] * 65 + [ord("A"), ord("B"), 0, ord("D"), ord("€")]

    ranges = font_subsets.to_unicode("Name", codes).splitlines()

    assert ranges[8:13] == [
        "3 beginbfrange", "<41><42><0041>", "<44><44><0044>", "<45><45><20AC>", "endbfrange"
    ]  # fmt: skip


def test_many_ranges_are_split_into_blocks():
    codes = [0, *range(1000, 1500, 2)]

    cmap = font_subsets.to_unicode("Name", codes)

    assert cmap.count(" beginbfrange") == 3

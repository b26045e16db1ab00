"""What holds for every document: tags, title, language, page numbers, the same bytes each time."""

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from io import BytesIO

import pytest

from banking.pdf.letters import render_letter
from banking.pdf.receipts import render_receipt
from banking.pdf.statements import render_statement
from banking.pdf.tagging import TaggedCanvas
from banking.pdf.tax_statements import render_tax_statement
from banking.pdf.typefaces import KeptCompression
from tests.banking.pdf.reading import ReadDocument
from tests.banking.pdf.samples import (
    MADE_AT,
    expense_lines,
    make_expense_report,
    make_letter,
    make_receipt,
    make_statement,
    make_tax_statement,
    render_expense_report,
    statement_lines,
)


def statement():
    return render_statement(make_statement(statement_lines(90)))


def detailed_report():
    lines = expense_lines(300)
    return render_expense_report(make_expense_report(lines), lines)


def letter():
    return render_letter(make_letter())


def receipt():
    return render_receipt(make_receipt())


def tax_statement():
    return render_tax_statement(make_tax_statement())


@pytest.fixture(params=[statement, detailed_report, letter, receipt, tax_statement])
def render(request):
    return request.param


def test_the_same_record_gives_the_same_bytes(render):
    assert render() == render()


def test_documents_made_at_the_same_time_do_not_mix(render):
    alone = render()

    with ThreadPoolExecutor(4) as pool:
        together = [pool.submit(render) for _ in range(8)]

    assert {document.result() for document in together} == {alone}


def test_a_paper_says_its_title_and_language_and_that_it_is_tagged(render):
    root = ReadDocument(render()).root

    assert root["/Lang"] == "en-US"
    assert root["/MarkInfo"]["/Marked"]
    assert root["/ViewerPreferences"]["/DisplayDocTitle"]


def test_each_mark_belongs_to_one_element_that_its_page_names(render):
    document = ReadDocument(render())
    parents = document.root["/StructTreeRoot"]["/ParentTree"]["/Nums"]

    for number, page in enumerate(document.page_objects):
        tags, read = document.pages[number].tags, page.get_object()
        elements = [kid.get_object() for kid in parents[2 * number + 1]]

        assert read["/StructParents"] == parents[2 * number] == number
        assert [element["/K"] for element in elements] == sorted(tags)
        assert [element["/S"][1:] for element in elements] == [tags[mark] for mark in sorted(tags)]
        assert {element.raw_get("/Pg").idnum for element in elements} == {page.idnum}


def test_children_know_their_parents(render):
    document = ReadDocument(render())
    tree = document.root["/StructTreeRoot"]

    def visit(reference, parent):
        entries = reference.get_object()
        assert entries.raw_get("/P").idnum == parent
        kids = entries["/K"]
        return 1 + (sum(visit(kid, reference.idnum) for kid in kids) if type(kids) is list else 0)

    assert visit(tree.raw_get("/K"), document.root.raw_get("/StructTreeRoot").idnum) > 0


def test_the_structure_is_made_of_the_expected_elements(render):
    document = ReadDocument(render()).structure
    tables = document.all("Table")

    assert document.tag == "Document"
    assert len(document.all("H1")) == 1
    assert document.all("H2")
    assert all(row.tag == "TR" for table in tables for row in table.children)
    assert {cell.tag for row in document.all("TR") for cell in row.children} == {"TH", "TD"}


def test_rows_are_as_wide_as_their_table(render):
    for table in ReadDocument(render()).structure.all("Table"):
        widths = {sum(span(cell) for cell in row.children) for row in table.children}

        assert len(widths) == 1


def span(cell):
    attributes = cell.entries.get("/A", {})
    return int(attributes["/ColSpan"]) if "/ColSpan" in attributes else 1


def test_figures_have_an_alternative_text_and_a_place():
    for figure in (figures := ReadDocument(detailed_report()).structure.all("Figure")):
        left, bottom, right, top = figure.entries["/A"]["/BBox"]

        assert re.match(
            r"Bar chart of what was spent by (month|category): ", figure.entries["/Alt"]
        )
        assert 0 <= left < right <= 612
        assert 0 <= bottom < top <= 792
    assert len(figures) == 2


def test_the_page_is_named_with_the_number_of_pages(render):
    pages = ReadDocument(render()).pages

    for number, page in enumerate(pages, start=1):
        assert f"Page {number} of {len(pages)}" in page.decoration


def test_every_font_is_embedded(render):
    document = ReadDocument(render())
    listed = document.page_objects[0].get_object()["/Resources"]["/Font"].values()
    fonts = [font.get_object() for font in listed]

    assert {str(font["/BaseFont"]).partition("+")[2] for font in fonts} == {
        "LiberationSans",
        "LiberationSans-Bold",
    }
    assert all("/FontFile2" in font["/FontDescriptor"] for font in fonts)


def test_a_title_may_be_in_any_script():
    target = BytesIO()
    title = "Größe (50 %) \\ \N{EN DASH} 銀行"

    canvas = TaggedCanvas(target, title=title, author="Vestibule", made_at=MADE_AT)
    canvas.finish(lambda page, pages: None)

    assert ReadDocument(target.getvalue()).title == title


def test_brackets_and_backslashes_are_read_as_they_were_written():
    lines = statement_lines(1)
    text = r"Copper (Street) \ Hardware \)"

    document = ReadDocument(render_statement(make_statement([replace(lines[0], description=text)])))

    assert text in document.text


def test_the_same_characters_are_embedded_without_being_made_again():
    render_statement(make_statement(statement_lines(5)))
    made = KeptCompression.encode.cache_info().misses

    render_statement(make_statement(statement_lines(5)))

    assert KeptCompression.encode.cache_info().misses == made

"""Objects of a PDF file; kinds of active content are in tests/foundation/inspection."""

import io

import pytest
from pypdf import PdfWriter

from foundation.pdf.active_content import find_active_content
from foundation.pdf.findings import Finding
from tests.pdf_files import make_pdf, object_stream, stream, update_pdf, with_unlisted

DEEP = b"[" * 400_000 + b"]" * 400_000


def encrypted():
    writer, file = PdfWriter(clone_from=io.BytesIO(make_pdf())), io.BytesIO()
    writer.encrypt("", owner_password="owner", algorithm="AES-256")
    writer.write(file)
    return file.getvalue()


ENCRYPTED = encrypted()
LAUNCH = b"<< /S /Launch >>"
TWICE = object_stream((50, b"null"), (50, LAUNCH))
HIDDEN = {
    "in the open": with_unlisted(make_pdf(), LAUNCH),
    "in an object stream that is not listed": with_unlisted(
        make_pdf(), object_stream((50, LAUNCH))
    ),
    "in an object stream that is listed": make_pdf(object_stream((50, LAUNCH))),
    "behind another object of its number": make_pdf(TWICE),
    "in a version before": update_pdf(make_pdf(LAUNCH), 5, b"null"),
    "in an object stream before": update_pdf(make_pdf(LAUNCH, is_compressed=True), 5, b"null"),
    "in a new version": update_pdf(make_pdf(b"null"), 5, LAUNCH),
    "in an encrypted file": with_unlisted(ENCRYPTED, b"<< /S /Launch /F (abc) >>"),
    "by reference": make_pdf(b"<< /S 6 0 R >>", b"/Launch"),
    "events by reference": make_pdf(
        b"<< /AA 6 0 R >>", b"<< /O 7 0 R >>", b"<< /S 8 0 R /URI (x) >>", b"/URI"
    ),
}
ORDINARY = {
    "a new version": update_pdf(make_pdf(b"<< /A 1 >>", is_compressed=True), 5, b"<< /A 2 >>"),
    "an object that is left over": with_unlisted(make_pdf(), stream(b"0 0 9 9 re")),
    "an encryption dictionary that is left over": with_unlisted(
        ENCRYPTED, b"<< /Filter /Standard /O (abc) /U (abc) >>"
    ),
    "references of a tagged text": make_pdf(b"<< /Type /StructElem /Ref [3 0 R] >>"),
    "the flags of an annotation": make_pdf(b"<< /Type /Annot /Subtype /Link /F 4 >>"),
}
OUTSIDE = {
    "a page": b"<< /Subtype /Form /Ref << /F (a.pdf) /Page 0 >> >>",
    "a page by reference": b"<< /Subtype /Form /Ref 6 0 R >>",
    "a stream": b"<< /Length 0 /F (http://example.com/a) >>\nstream\n\nendstream",
}
ENDLESS = b"<< /S /GoTo /D [3 0 R /Fit] /Next 5 0 R >>"


@pytest.mark.parametrize("is_compressed", [False, True])
def test_an_object_that_nothing_leads_to_is_looked_at(is_compressed):
    pdf = make_pdf(b"null", b"[[<< /A << /S /Launch >> >>]]", is_compressed=is_compressed)

    assert find_active_content(pdf) == Finding.START.encode()


@pytest.mark.parametrize("case", HIDDEN)
def test_a_hidden_object_is_looked_at(case):
    assert find_active_content(HIDDEN[case]) == Finding.START.encode()


@pytest.mark.parametrize("case", OUTSIDE)
def test_content_of_other_files_is_found(case):
    pdf = make_pdf(OUTSIDE[case], b"<< /F (a.pdf) /Page 0 >>")

    assert find_active_content(pdf) == Finding.OUTSIDE.encode()


def test_a_file_in_it_is_found_by_reference():
    pdf = make_pdf(b"<< /Type /Filespec /EF 6 0 R >>", b"<< /F 4 0 R >>")

    assert find_active_content(pdf) == Finding.FILES.encode()


@pytest.mark.parametrize("case", ORDINARY)
def test_an_ordinary_object_is_nothing(case):
    assert find_active_content(ORDINARY[case]) == b""


def test_an_endless_chain_of_actions_is_no_ordinary_one():
    assert find_active_content(make_pdf(ENDLESS, catalog=b"/OpenAction 5 0 R")) == b"START"


@pytest.mark.parametrize("content", [b"", b"no PDF", b"%PDF-1.7\n", make_pdf(DEEP)])
def test_what_cannot_be_read_is_damaged(content):
    assert find_active_content(content) == Finding.DAMAGED.encode()


def test_a_stream_that_unpacks_to_too_much_is_no_damage():
    script = stream(bytes(200_000_000))

    assert find_active_content(make_pdf(b"<< /JS 6 0 R >>", script)) == Finding.SLOW.encode()


def test_an_ordinary_page_has_nothing():
    assert find_active_content(make_pdf()) == b""

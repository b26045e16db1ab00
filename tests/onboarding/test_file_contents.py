"""Active content beyond the first bytes of a file."""

import io
import time
import zipfile

import pytest
from pypdf import PdfWriter
from reportlab.pdfgen.canvas import Canvas

from onboarding.file_contents import PIECE, find_active_content
from onboarding.file_types import detect_type
from tests.pdf_files import BLACK, make_pdf, stream

SCRIPT = rb"<< /Type /Action /S /JavaScript /JS (app.launchURL\(1\)) >>"
AT_START = b"/OpenAction 5 0 R"
SCRIPTS = "The PDF contains scripts."
FILES = "The PDF contains other files."
STARTS = "The PDF starts a program or opens another address by itself."
MEDIA = "The PDF contains video, sound or 3D."
PASSWORD = "The file asks for a password, so it cannot be checked."
DAMAGED = "The PDF is damaged, so it cannot be checked."
SHELL = "Active content: text/x-shellscript."
HTML = "Active content: text/html."
MACROS = "The file contains macros or embedded programs."
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
WORD = "word/document.xml"


def reason_of(content):
    return find_active_content(io.BytesIO(content), detect_type(content[:8192]))


def zipped(*names, content="x", method=zipfile.ZIP_DEFLATED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name in names:
            archive.writestr(name, content)
    return buffer.getvalue()


def drawn(**options):
    """Return a report of reportlab with what reports have: links, an outline and a form."""
    file = io.BytesIO()
    canvas = Canvas(file, **options)
    canvas.drawString(72, 700, "Services: HTML/JavaScript, /Launch of sites, /EF and /XFA")
    canvas.linkURL("https://example.com/", (72, 600, 200, 620))
    canvas.bookmarkPage("here")
    canvas.addOutlineEntry("Here", "here")
    canvas.acroForm.textfield(name="name", value="Ada", x=72, y=500)
    canvas.showPage()
    canvas.save()
    return file.getvalue()


def encrypted(content, algorithm, password=""):
    writer, file = PdfWriter(clone_from=io.BytesIO(content)), io.BytesIO()
    writer.encrypt(password, owner_password="owner", algorithm=algorithm)
    writer.write(file)
    return file.getvalue()


def with_attachment():
    writer, file = PdfWriter(clone_from=io.BytesIO(make_pdf())), io.BytesIO()
    writer.add_attachment("setup.exe", b"MZ")
    writer.write(file)
    return file.getvalue()


def xfa(script):
    form = b"<xdp:xdp xmlns:xdp='x'><template xmlns='y'>%s</template></xdp:xdp>" % script
    return make_pdf(
        stream(form), b"<< /XFA [(template) 5 0 R] /Fields [] >>", catalog=b"/AcroForm 6 0 R"
    )


ACTIVE_PDF = {
    "a script at the start": (make_pdf(SCRIPT, catalog=AT_START), SCRIPTS),
    "in an object stream": (make_pdf(SCRIPT, catalog=AT_START, is_compressed=True), SCRIPTS),
    "an escaped name": (make_pdf(rb"<< /S /J#61vaScrip#74 /#4a#53 (x\(\)) >>"), SCRIPTS),
    "a script in a stream": (
        make_pdf(b"<< /S /JavaScript /JS 6 0 R >>", stream(b"app.launchURL(1)")), SCRIPTS,
    ),
    "a script of a field": (
        make_pdf(rb"<< /FT /Tx /T (a) /AA << /K << /S /JavaScript /JS (x\(\)) >> >> >>"), SCRIPTS,
    ),
    "a script by another name": (
        make_pdf(rb"<< /S /JavaScript /JS (this['ev' + 'al']\(1\)) >>"), SCRIPTS,
    ),
    "a script after a fake text": (
        make_pdf(rb'<< /S /JavaScript /JS (/"/; evil\(\); /"/) >>'), SCRIPTS,
    ),
    "a script behind encryption": (
        encrypted(make_pdf(SCRIPT, catalog=AT_START), "AES-256"), SCRIPTS,
    ),
    "a script in an XFA form": (xfa(b"<script>xfa.host.gotoURL(1)</script>"), SCRIPTS),
    "an XFA form that sends": (xfa(b"<submit target='http://example.com'/>"), STARTS),
    "a program": (make_pdf(b"<< /S /Launch /F (cmd.exe) >>"), STARTS),
    "an address at the start": (
        make_pdf(b"<< /S /GoTo /D [3 0 R /Fit] /Next << /S /URI /URI (http://example.com) >> >>",
                 catalog=AT_START), STARTS,
    ),
    "an address as a page opens": (
        make_pdf(page=b"/AA << /O << /S /GoToR /F (x.pdf) >> >>"), STARTS,
    ),
    "a file in it": (with_attachment(), FILES),
    "a film": (make_pdf(b"<< /Type /Annot /Subtype /RichMedia >>"), MEDIA),
    "a password": (encrypted(make_pdf(), "AES-256", password="secret"), PASSWORD),
    "a name that hides": (b"%PDF-1.7\n1 0 obj\n<< /OpenAction 2 0 R >>\nno more", DAMAGED),
}  # fmt: skip
GOOD_PDF = {
    "drawn": drawn(),
    "drawn without compression": drawn(pageCompression=0),
    "a page at the start": make_pdf(b"[3 0 R /Fit]", catalog=AT_START),
    "a jump at the start": make_pdf(b"<< /S /GoTo /D [3 0 R /Fit] >>", catalog=AT_START),
    "object streams": make_pdf(b"<< /Type /Metadata >>", is_compressed=True),
    "an address behind a click": make_pdf(b"<< /Subtype /Link /A << /S /URI /URI (x) >> >>"),
    "the format of a field": make_pdf(
        rb'<< /FT /Tx /AA << /F << /S /JavaScript /JS (AFNumber_Format\(2, 0, 0, 0, "", true\);)'
        rb" >> >> >>"
    ),
    "a tax office's XFA form": xfa(
        b'<script>comment();\nvar fld = this.getField ("c1_01(0)");\n'
        b"if (fld.isBoxChecked(0)) {\n   fld.checkThisBox (0, true);\n}</script>"
    ),
    "rights of Adobe's viewer": make_pdf(b"<< /Type /TransformParams /EF [/Create /Delete] >>"),
    **{f"encrypted by {one}": encrypted(drawn(), one) for one in ("RC4-128", "AES-128", "AES-256")},
}
ACTIVE = {
    "HTML behind padding": (b"a" * 9000 + b"<script>alert(1)</script>", HTML),
    "HTML between pieces": (b" " * (PIECE - 4) + b"<iframe src=x>", HTML),
    "SVG at the end": (b"a\n" * PIECE + b"<svg onload=x>", "Active content: image/svg+xml."),
    "HTML in UTF-16": (("a" * 9000 + "<script>").encode("utf-16"), HTML),
    "HTML in unknown data": (b"\0\1\2" * 4000 + b"<script>", HTML),
    "a script after blank lines": (b"\n" * 9000 + b"#!/bin/sh\n", SHELL),
    "an object in a rich text": (rb"{\rtf1" + b" " * 9000 + rb"{\object\objdata 01}}", MACROS),
    "macros of Word": (zipped(WORD, *map(str, range(400)), "word/vbaProject.bin"), MACROS),
    "macros of old Excel": (zipped("xl/workbook.xml", "xl/macrosheets/sheet1.xml"), MACROS),
    "ActiveX": (zipped(WORD, "word/activeX/activeX1.bin"), MACROS),
    "an embedded program": (zipped(WORD, "word/embeddings/oleObject1.bin"), MACROS),
    "macros of old Word": (OLE + "_VBA_PROJECT".encode("utf-16-le"), MACROS),
    "a package in old Word": (OLE + "\x01Ole10Native".encode("utf-16-le"), MACROS),
    "Word with a password": (OLE + "EncryptedPackage".encode("utf-16-le"), PASSWORD),
    "a program in an archive": (
        zipped(*(f"{n}.txt" for n in range(4000)), "Setup.EXE"),
        "The archive contains active content: .exe.",
    ),
    "an archive in an archive": (
        zipped("in.zip", content=zipped("a.js"), method=zipfile.ZIP_STORED),
        "The archive contains active content: .js.",
    ),
    "an endless name": (
        zipped("a" * 1000 + ".exe"), "The archive has a file name that is too long to be checked.",
    ),
}  # fmt: skip
GOOD = [
    b"name,amount\nimport goods from China,1 < 2 && a > b\n" * 9000,
    b"<?xml version='1.0'?><invoice>" + b"<total>1</total>" * 9000 + b"</invoice>",
    bytes(range(256)) * 1000,
    zipped("a.txt", "b/c.pdf", "www.example.com/"),
    zipped("[Content_Types].xml", WORD, "word/media/image1.svg", "word/embeddings/a.xlsx"),
    OLE + bytes(PIECE),
    b"\x89PNG\r\n\x1a\n" + bytes(9000) + b"<script>",  # never shown as anything but a picture
]


@pytest.mark.parametrize("case", ACTIVE_PDF)
def test_a_pdf_that_acts_is_found(case):
    content, reason = ACTIVE_PDF[case]

    assert reason_of(content) == reason


@pytest.mark.parametrize("case", GOOD_PDF)
def test_an_ordinary_pdf_is_taken(case):
    assert reason_of(GOOD_PDF[case]) == ""


@pytest.mark.parametrize("case", ACTIVE)
def test_a_whole_file_is_looked_at(case):
    content, reason = ACTIVE[case]

    assert reason_of(content) == reason


@pytest.mark.parametrize("content", GOOD)
def test_an_ordinary_file_is_taken(content):
    assert reason_of(content) == ""


def test_an_archive_with_a_password_is_found():
    archive = bytearray(zipped("a.txt"))
    archive[6] |= 1  # the flag before the member

    assert reason_of(bytes(archive)) == PASSWORD


def test_a_header_within_a_fake_header_is_found():
    fake = b"PK\3\4" + bytes(14)

    assert reason_of(fake + zipped("a.exe")) == "The archive contains active content: .exe."


@pytest.mark.parametrize("text", ["<", "/**/", "import a ", "PK\3\4", "#61", "\\obj", " "])
def test_no_file_takes_long(text):
    content = text.encode() * (1024**2 // len(text))
    start = time.process_time()

    for detected in ("text/plain", "application/zip", "application/pdf"):
        find_active_content(io.BytesIO(content), detected)

    assert time.process_time() - start < 3


def test_a_page_without_limits_is_no_active_content():
    assert reason_of(make_pdf(drawing=BLACK * 100_000)) == ""

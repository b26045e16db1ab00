"""Names under which files are saved: a computer opens each as its detected type."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foundation.inspection.file_names import safe_name
from foundation.inspection.file_types import (
    ACTIVE_TYPES,
    EXTENSIONS,
    OFFICE,
    OLE,
    PDF,
    PLAIN,
    UNKNOWN,
    XML,
    ZIP,
    detect_type,
)

WORD = OFFICE + "wordprocessingml.document"
DOCUMENTS = {*EXTENSIONS, "bin"}


@pytest.mark.parametrize(
    ("name", "detected"),
    [
        ("letter.pdf", PDF),
        ("Letter of Mr. Brook.PDF", PDF),
        ("photo.jpeg", "image/jpeg"),
        ("photo.JPG", "image/jpeg"),
        ("photo.heif", "image/heic"),
        ("sales.csv", PLAIN),
        ("notes.md", PLAIN),
        ("feed.xml", XML),
        ("plan.docx", WORD),
        ("plan.docx", ZIP),
        ("plan.odt", ZIP),
        ("plan.doc", OLE),
        ("año 2026.pdf", PDF),
    ],
)
def test_a_name_that_agrees_with_the_content_is_kept(name, detected):
    assert safe_name(name, detected) == name


@pytest.mark.parametrize(
    ("name", "detected", "saved"),
    [
        ("bill.hta", PLAIN, "bill.hta.txt"),
        ("bill.lnk", UNKNOWN, "bill.lnk.bin"),
        ("bill.scr", PDF, "bill.scr.pdf"),
        ("bill.diagcab", PLAIN, "bill.diagcab.txt"),
        ("bill.pdf.theme", XML, "bill.pdf.theme.xml"),
        ("bill.msi", OLE, "bill.msi.bin"),
        ("bill.docm", WORD, "bill.docm.docx"),
        ("bill.xml", "text/html", "bill.xml.bin"),
        ("bill.pdf", "text/html", "bill.pdf.bin"),
        ("bill.png", PDF, "bill.png.pdf"),
        ("bill.hta. .", PLAIN, "bill.hta.txt"),
        ("bill.hta::$DATA", PLAIN, "bill.hta__$DATA.txt"),
        ("bill\u202efdp.exe", PDF, "bill_fdp.exe.pdf"),
        ("..\\..\\bill.pdf", PDF, ".._.._bill.pdf"),
        ("Acme Inc. Articles", PDF, "Acme Inc. Articles.pdf"),
        ("scan", "image/png", "scan.png"),
        ("", PDF, "file.pdf"),
    ],
)
def test_another_extension_is_followed_by_the_one_of_the_type(name, detected, saved):
    assert safe_name(name, detected) == saved


@given(st.text(), st.sampled_from(["hta", "lnk", "scr", "bas", "crt", "ins", "scpt", "xyz", ""]),
       st.binary(max_size=200))  # fmt: skip
def test_no_name_ends_with_an_extension_that_is_not_of_documents(name, extension, head):
    detected = detect_type(head)

    saved = safe_name(f"{name}.{extension}", detected)

    ending = saved.rpartition(".")[2].lower()
    assert ending in DOCUMENTS
    assert detected not in ACTIVE_TYPES or ending == "bin"
    assert not set(saved) & set('/\\:*?"<>|\u202e\n\0')

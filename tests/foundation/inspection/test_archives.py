"""Archives: members are looked at as if they had been sent alone, within limits."""

import io
import stat
import time
import zipfile

import pytest

from foundation.inspection import file_limits
from foundation.inspection.archives import DAMAGED, TOO_LARGE
from foundation.inspection.file_contents import TOO_MANY, find_active_content
from foundation.inspection.file_types import ZIP
from foundation.pdf import reading
from tests.office_files import formula, make_office, make_zip, open_document
from tests.pdf_files import make_pdf

SCRIPT = make_pdf(b"<< /S /JavaScript /JS (evil) >>", is_compressed=True)
PACKED = make_pdf(is_compressed=True)
PNG = b"\x89PNG\r\n\x1a\n" + bytes(99)


def reason_of(content):
    return find_active_content(io.BytesIO(content), ZIP)


def link_in_zip(target):
    """Return a ZIP file with a symbolic link, as Info-ZIP writes it."""
    content, link = io.BytesIO(), zipfile.ZipInfo("letter.txt")
    link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr(link, target)
    return content.getvalue()


ACTIVE = {
    "HTML by another name": (make_zip({"a.txt": "<html>"}), "Active content: text/html."),
    "a program by another name": (
        make_zip({"a.pdf": b"MZ\x90\0\3"}),
        "Active content: application/vnd.microsoft.portable-executable.",
    ),
    "a script in a PDF": (make_zip({"a.pdf": SCRIPT}), "The PDF contains scripts."),
    "a program in an archive in an archive": (
        make_zip({"a.zip": make_zip({"b.exe": b"MZ\x90\0\3"})}),
        "The archive contains active content: .exe.",
    ),
    "a member that a program might open": (
        make_zip({"a/bill.diagcab": "x"}),
        "The archive contains a file of a type that is not accepted: .diagcab.",
    ),
    "a member that Windows unpacks under another name": (
        make_zip({"bill.theme:a.pdf": "x"}),
        "The archive contains a file of a type that is not accepted: .theme.",
    ),
    "a path that leads out of the folder": (
        make_zip({"a/../../b.txt": "x"}),
        "The archive contains a path that leads out of its folder.",
    ),
    "a path of Windows that leads out of the folder": (
        make_zip({"..\\b.txt": "x"}),
        "The archive contains a path that leads out of its folder.",
    ),
    "a path from the root": (
        make_zip({"/etc/b.txt": "x"}),
        "The archive contains a path that leads out of its folder.",
    ),
    "a symbolic link": (link_in_zip("/etc/passwd"), "The archive contains a symbolic link."),
    "a formula in an archive": (
        make_zip({"a.xlsx": formula("cmd|'/c calc'!A0")}),
        "The file contains fields or formulas that start programs or load data.",
    ),
    "another kind of archive": (
        make_zip({"a.txt": b"Rar!\x1a\x07\1\0"}),
        "Files of the type application/x-rar-compressed cannot be checked.",
    ),
    "an archive behind a picture": (
        make_zip({"a.png": PNG + make_zip({"a.txt": "x"})}),
        "The file has another file hidden in it.",
    ),
    "archives that are too deep": (
        make_zip({"a": make_zip({"b": make_zip({"c": make_zip({"d": "x"})})})}),
        TOO_LARGE,
    ),
    "too much": (make_zip({"a": bytes(40 * 1024**2), "b": bytes(40 * 1024**2)}), TOO_LARGE),
    "too much text": (make_zip({f"{n}.csv": b"a,b\n" * 2**20 for n in range(7)}), TOO_LARGE),
    "too many members": (make_zip({str(n): "" for n in range(5001)}), TOO_LARGE),
    "another compression": (make_zip({"a": "x"}, zipfile.ZIP_LZMA), DAMAGED),
    "no directory": (make_zip({"a": "x" * 99})[:-30], DAMAGED),
    "another archive in front": (make_zip({"a": "x"}) + make_zip({"b": "x"}), DAMAGED),
}
GOOD = {
    "documents": make_zip({
        "a/": "", "a/a.pdf": PACKED, "b.csv": "a,b\n1,2\n", "c.png": PNG,
        "d.docx": make_office("word"), "__MACOSX/a/._a.pdf": b"\0\5", ".DS_Store": b"\0\1",
        "e v1.2/letter": "x", "f.odt": open_document("<a/>"),
    }),
    "nothing": make_zip({}),
    "files in an archive in an archive": make_zip(
        {"a.zip": make_zip({"b.zip": make_zip({"c": "x"})})}
    ),
    "stored files": make_zip({"a.pdf": PACKED, "b.xlsx": formula("A1+1")}, zipfile.ZIP_STORED),
}  # fmt: skip


@pytest.mark.parametrize("case", ACTIVE)
def test_an_active_member_is_found(case):
    content, reason = ACTIVE[case]

    assert reason_of(content) == reason


@pytest.mark.parametrize("case", GOOD)
def test_an_ordinary_archive_is_taken(case):
    assert reason_of(GOOD[case]) == ""


def test_too_many_pdf_files_are_refused(monkeypatch):
    monkeypatch.setattr(reading, "check", lambda _content: None)

    assert reason_of(make_zip({f"{n}.pdf": PACKED for n in range(11)})) == TOO_MANY


def test_no_pdf_file_is_read_after_the_deadline(monkeypatch):
    monkeypatch.setattr(file_limits, "SECONDS", -1)

    assert reason_of(make_zip({"a.pdf": PACKED})) == TOO_MANY


def test_a_member_is_not_unpacked_beyond_its_declared_size():
    content = bytearray(make_zip({"a": bytes(100 * 1024**2)}))
    for at in (22, content.find(b"PK\1\2") + 24):
        content[at : at + 4] = (1000).to_bytes(4, "little")
    start = time.process_time()

    assert reason_of(bytes(content)) == DAMAGED
    assert time.process_time() - start < 1


def test_an_archive_of_headers_takes_no_time():
    content = b"PK\3\4" * (10 * 1024**2 // 4)
    start = time.process_time()

    assert reason_of(content) == TOO_LARGE
    assert time.process_time() - start < 1


@pytest.mark.parametrize("part", ["<a b='&amp;|'/>", "<f>'|'</f>", "<a/>", "|" * 10, "a" * 10])
@pytest.mark.parametrize("size", [5, 60])
def test_no_archive_takes_long(part, size):
    sheet = f"<worksheet>{part * (size * 1024**2 // len(part))}</worksheet>"
    content = make_office("xl", {"xl/a.xml": sheet})
    start = time.process_time()

    reason_of(content)

    assert time.process_time() - start < 3

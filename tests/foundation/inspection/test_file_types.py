import io
import time
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foundation.inspection.file_types import UNKNOWN, detect_type, quarantine_reason

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\6\0\0\0\x1f\x15\xc4\x89"
OFFICE = "application/vnd.openxmlformats-officedocument."


def zipped(*names):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return buffer.getvalue()


HARMLESS = [
    (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n", "application/pdf"),
    (b"\n\n%PDF-1.4 plain to the end", "application/pdf"),
    (b"junk\0before %PDF-1.4", "application/pdf"),
    (PNG, "image/png"),
    (b"\xff\xd8\xff\xe0\0\x10JFIF\0\1", "image/jpeg"),
    (b"II*\0\x08\0\0\0\0\0\0\0", "image/tiff"),
    (b"MM\0*\0\0\0\x08\0\0\0\0", "image/tiff"),
    (b"GIF89a\1\0\1\0\x80\0\0", "image/gif"),
    (b"RIFF\x24\0\0\0WEBPVP8 \0", "image/webp"),
    (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic\0\0\0\0", "image/heic"),
    (b"\0\0\0\x18ftypmif1\0\0\0\0mif1heic\0\0\0\0", "image/heic"),
    (zipped("a.txt"), "application/zip"),
    (zipped("[Content_Types].xml", "word/document.xml"), OFFICE + "wordprocessingml.document"),
    (zipped("[Content_Types].xml", "xl/workbook.xml"), OFFICE + "spreadsheetml.sheet"),
    (zipped("ppt/presentation.xml"), OFFICE + "presentationml.presentation"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "application/x-ole-storage"),
    (b"{\\rtf1\\ansi Hello}", "application/rtf"),
    (b"{\\rt Hello}", "application/rtf"),
    (b"{\\rt\1 Hello}", "application/rtf"),
    (b"BMW Bank, a statement", "text/plain"),
    (b"MZ Industries LLC, a statement", "text/plain"),
    ("Estatuto de la compañía".encode(), "text/plain"),
    ("Estatuto de la compañía".encode("cp1252"), "text/plain"),
    ("Estatuto de la compañía".encode("utf-16"), "text/plain"),
    (b"name,amount\nimport goods from China,1 < 2 && a > b\n", "text/plain"),
    (b'<?xml version="1.0"?><invoice><total>1</total></invoice>', "application/xml"),
    (b'{"a": 1}', "text/plain"),
    (b"", "text/plain"),
    (b"\0\1\2\3 nothing known", UNKNOWN),
]
ACTIVE = [
    (b"<!DOCTYPE html><html></html>", "text/html"),
    (b"  \n<HTML>", "text/html"),
    (b"\xef\xbb\xbf<body onload=alert(1)>", "text/html"),
    ("<html>".encode("utf-16"), "text/html"),
    (b"Dear bank,\n<script>alert(1)</script>", "text/html"),
    (b"\0\1 binary <script >alert(1)</script>", "text/html"),
    (b'<a href="javascript:alert(1)">', "text/html"),
    (b'<svg xmlns="http://www.w3.org/2000/svg"/>', "image/svg+xml"),
    (b'<?xml version="1.0"?>\n<!-- x --><svg:svg xmlns:svg="x">', "image/svg+xml"),
    (b'<?xml version="1.0"?><a xmlns:x="http://www.w3.org/1999/xhtml"/>', "application/xhtml+xml"),
    (b'<?xml version="1.0"?><?xml-stylesheet href="a.xsl"?><a/>', "application/xhtml+xml"),
    (b"#!/bin/sh\nrm -rf /\n", "text/x-shellscript"),
    (b"#!/usr/bin/env python3\n", "text/x-shellscript"),
    (b"@echo off\r\ndel c:\\*\r\n", "text/x-shellscript"),
    (b"<?php system($_GET[0]);", "text/x-shellscript"),
    (b"'use strict';\n", "text/javascript"),
    (b"/* x */ // y\n(function () { alert(1) })()", "text/javascript"),
    (b"const fs = require('fs')", "text/javascript"),
    (b"import a from 'b'", "text/javascript"),
    (b"document.cookie", "text/javascript"),
    (b"%!PS-Adobe-3.0\n", "application/postscript"),
    (b"MZ\x90\0\3\0\0\0", "application/vnd.microsoft.portable-executable"),
    (b"\x7fELF\2\1\1\0", "application/x-executable"),
    (b"\xcf\xfa\xed\xfe\7\0\0\1", "application/x-mach-binary"),
    (b"\xca\xfe\xba\xbe\0\0\0\x34", "application/java-vm"),
    (b"ID;PWXL;N;E\nO;E\nNN;NAuto_open;ER1C1\n", "application/x-sylk"),
    (b"\0asm\1\0\0\0", "application/wasm"),
    (b"L\0\0\0\x01\x14\x02\0\0\0", "application/x-ms-shortcut"),
    (zipped("META-INF/MANIFEST.MF", "A.class"), "application/java-archive"),
]


UNCHECKED = [  # what cannot be looked into
    (b"7z\xbc\xaf\x27\x1c\0\4", "application/x-7z-compressed"),
    (b"Rar!\x1a\x07\x01\0", "application/x-rar-compressed"),
    (b"MSCF\0\0\0\0", "application/vnd.ms-cab-compressed"),
    (b"\x1f\x8b\x08\0\0\0\0\0", "application/gzip"),
    (b"BZh91AY&SY\0", "application/x-bzip2"),
    (bytes(257) + b"ustar\0", "application/x-tar"),
    (bytes.fromhex("E4525C7B8CD8A74DAEB15378D02996D3") + bytes(99), "application/onenote"),
    (b"ITSF\3\0\0\0", "application/vnd.ms-htmlhelp"),
    (b"\x09\x08\x10\0\0\6\5\0", "application/x-biff"),
    (b"\0\1\0\0Standard ACE DB\0", "application/x-msaccess"),
    (b"vhdxfile\0", "application/x-vhdx"),
    (b"AC1032\0\0\0\0\0", "image/vnd.dwg"),
]


@pytest.mark.parametrize(("head", "detected"), UNCHECKED)
def test_a_type_that_cannot_be_looked_into_is_quarantined(head, detected):
    reason = quarantine_reason("application/octet-stream", "file", detect_type(head))

    assert reason == f"Files of the type {detected} cannot be checked."


@pytest.mark.parametrize(("head", "expected"), [*HARMLESS, *ACTIVE])
def test_the_first_bytes_show_the_type(head, expected):
    assert detect_type(head) == expected


@pytest.mark.parametrize(("head", "detected"), HARMLESS)
def test_harmless_content_that_is_declared_generically_is_taken(head, detected):
    assert quarantine_reason("application/octet-stream", "file", detect_type(head)) == ""


@pytest.mark.parametrize(("head", "detected"), ACTIVE)
def test_active_content_is_quarantined_whatever_it_is_called(head, detected):
    reason = quarantine_reason("application/pdf", "letter.pdf", detect_type(head))

    assert reason == f"Active content: {detected}."


@pytest.mark.parametrize(
    ("declared", "file_name", "detected"),
    [
        ("application/pdf", "a.pdf", "application/pdf"),
        ("Application/PDF; version=1.7", "A.PDF", "application/pdf"),
        ("application/octet-stream", "a.pdf", "application/pdf"),
        ("application/vnd.acme.scan", "scan", "application/pdf"),
        ("image/jpg", "a.jpeg", "image/jpeg"),
        ("image/x-acme", "a", "image/png"),
        ("image/heif", "a.heif", "image/heic"),
        ("text/csv", "a.csv", "text/plain"),
        ("text/xml", "a.xml", "application/xml"),
        ("application/json", "a.json", "text/plain"),
        (OFFICE + "wordprocessingml.document", "a.docx", "application/zip"),
        ("application/msword", "a.doc", "application/x-ole-storage"),
        ("application/x-zip-compressed", "a.zip", "application/zip"),
        ("application/x-acme", "a.acme", UNKNOWN),
        ("text/plain", "J. Doe Inc.", "text/plain"),
    ],
)
def test_what_agrees_is_taken(declared, file_name, detected):
    assert quarantine_reason(declared, file_name, detected) == ""


@pytest.mark.parametrize(
    ("declared", "detected"),
    [
        ("application/pdf", "image/png"),
        ("application/pdf", "text/plain"),
        ("application/pdf", UNKNOWN),
        ("image/png", "image/jpeg"),
        ("image/x-acme", "application/pdf"),
        ("image/x-acme", "text/plain"),
        ("text/csv", "application/zip"),
        ("text/plain", UNKNOWN),
    ],
)
def test_a_declared_type_that_contradicts_the_content_is_quarantined(declared, detected):
    reason = quarantine_reason(declared, "file", detected)

    assert reason == f"Declared as {declared}, but the content is {detected}."


def test_a_name_that_contradicts_the_content_is_quarantined():
    reason = quarantine_reason("application/octet-stream", "a.PNG", "application/pdf")

    assert reason == "Named .png, but the content is application/pdf."


@pytest.mark.parametrize(
    ("declared", "file_name", "reason"),
    [
        ("application/pdf", "a.exe", "Named as active content: .exe."),
        ("application/pdf", "a.one", "Named as active content: .one."),
        ("text/plain", "a.iqy", "Named as active content: .iqy."),
        ("application/pdf", "a.pdf.BAT. ", "Named as active content: .bat."),
        ("application/pdf", "a.html::$DATA", "Named as active content: .html."),
        ("application/pdf", "a.js. :b.pdf", "Named as active content: .js."),
        ("text/html; charset=utf-8", "a.txt", "Declared as active content: text/html."),
        ("IMAGE/SVG+XML", "a", "Declared as active content: image/svg+xml."),
    ],
)
def test_what_is_said_to_be_active_is_quarantined(declared, file_name, reason):
    assert quarantine_reason(declared, file_name, "application/pdf") == reason


def test_a_name_that_is_only_a_word_is_no_extension():
    assert quarantine_reason("text/plain", "exe", "text/plain") == ""


@given(st.binary(max_size=300), st.text(max_size=127), st.text(max_size=255))
def test_no_input_is_too_strange_and_no_reason_too_long(head, declared, file_name):
    assert len(quarantine_reason(declared, file_name, detect_type(head))) <= 255


@pytest.mark.parametrize("text", ["/**/", "/* ", "//\n", "<", "<svg", "(", "import a ", " "])
def test_no_text_takes_long(text):
    head = (text * 8192).encode()[:8192]
    start = time.process_time()

    detect_type(head)

    assert time.process_time() - start < 1

"""File contents: active content beyond the first bytes, sought to the end in bounded memory."""

import re
from collections.abc import Callable, Iterator
from typing import IO, Final

from foundation.pdf import reading
from foundation.pdf.findings import Finding
from onboarding.file_types import (
    ACTIVE_TYPES,
    OFFICE_TYPES,
    OLE,
    PDF,
    PLAIN,
    RTF,
    UNKNOWN,
    XML,
    ZIP,
    active_extension,
    type_of_markup,
    type_of_text,
)

PIECE = 64 * 1024  # bytes
OVERLAP = 1024  # bytes that two pieces have in common: nothing that is sought is longer
WITH_PASSWORD = "The file asks for a password, so it cannot be checked."  # noqa: S105 - a text
TOO_LONG = "The archive has a file name that is too long to be checked."
MACROS = "The file contains macros or embedded programs."
REASONS: Final = {
    Finding.SCRIPT: "The PDF contains scripts.",
    Finding.START: "The PDF starts a program or opens another address by itself.",
    Finding.FILES: "The PDF contains other files.",
    Finding.OUTSIDE: "The PDF shows content of other files.",
    Finding.MEDIA: "The PDF contains video, sound or 3D.",
    Finding.PASSWORD: WITH_PASSWORD,
    Finding.DAMAGED: "The PDF is damaged, so it cannot be checked.",
    Finding.SLOW: "The PDF takes too long or too much memory to check.",
}
ESCAPE = re.compile(rb"#([0-9A-Fa-f]{2})")
# Without one of these names, a PDF file can neither act nor hide objects from this search
PDF_NAME = re.compile(
    rb"/(?:ObjStm|XRef|Encrypt|JavaScript|Launch|ImportData|OpenAction|Rendition|RichMedia|Movie"
    rb"|Screen|Sound|(?:AA|EF|XFA|3D|Ref)(?=[\0\s(<\[/%])"
    rb"|F[\0\s]*(?:[(<%]|\d{1,10}[\0\s]+\d{1,10}[\0\s]+R))"
)
# Source: APPNOTE.TXT 4.3.7 and 4.3.12: flags, method, the length of the name. Headers may overlap
ZIP_HEADER = re.compile(rb"PK(?=(?:\x03\x04|(\x01\x02..))..(..)(..).{16}(..))", re.DOTALL)
NAME_AT, NAME_AT_IN_DIRECTORY, LONGEST_NAME = 30, 46, 900  # bytes
LAST_METHOD = 99
ENCRYPTED = 0x2001  # flags: the content, the directory
OFFICE_MACROS = re.compile(
    r"vbaproject\.bin$|/activex/|/macrosheets/|oleobject\d*\.bin$|^basic/|^scripts/|/manifest\.mf$",
    re.IGNORECASE,
)
OLE_NAMES: Final = {  # in the directory of an OLE file
    "_VBA_PROJECT".encode("utf-16-le"): MACROS,
    "Ole10Native".encode("utf-16-le"): MACROS,
    "EncryptedPackage".encode("utf-16-le"): WITH_PASSWORD,
    bytes.fromhex("84100C0000000000C000000000000046"): MACROS,  # the class of MSI packages
}
RTF_OBJECT = re.compile(r"\\obj(?:data|emb|autlink|link|ocx|html|update)")


def find_active_content(file: IO[bytes], detected: str) -> str:
    """Return why a file of the type `detected` must be quarantined, for staff; empty if harmless.

    A PDF file with a name of PDF_NAME is read by a child process, for some seconds at worst.
    """
    search = SEARCHES.get(detected)
    return search(file) if search else ""


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the content in pieces that overlap."""
    rest = b""
    while data := file.read(PIECE):
        piece = rest + data
        yield piece
        rest = piece[-OVERLAP:]


def _in_text(file: IO[bytes]) -> str:
    """Look for markup anywhere, and for a script after blank lines."""
    is_blank = True
    for piece in _pieces(file):
        text = piece.replace(b"\0", b"").decode("latin-1")  # all that is sought is ASCII
        found = type_of_text(text) if is_blank else type_of_markup(text)
        is_blank = is_blank and not text.strip()
        if found in ACTIVE_TYPES:
            return f"Active content: {found}."
        if RTF_OBJECT.search(text):
            return MACROS
    return ""


def _in_zip(file: IO[bytes]) -> str:
    """Look at the names of all members, in the directory and before each member."""
    for piece in _pieces(file):
        for header in ZIP_HEADER.finditer(piece):
            flags, method, length = (int.from_bytes(header[n], "little") for n in (2, 3, 4))
            start = header.start() + (NAME_AT_IN_DIRECTORY if header[1] else NAME_AT)
            is_long = length > LONGEST_NAME
            reason = "" if is_long else _reason_of_name(piece[start : start + length])
            if not reason and method <= LAST_METHOD:  # otherwise this is compressed data
                reason = WITH_PASSWORD if flags & ENCRYPTED else TOO_LONG * is_long
            if reason:
                return reason
    return ""


def _reason_of_name(member: bytes) -> str:
    name = member.decode("utf-8", "replace")
    extension = active_extension(name)
    if OFFICE_MACROS.search(name):
        return MACROS
    if extension and not (extension == "svg" and "/media/" in name):  # icons in Office files
        return f"The archive contains active content: .{extension}."
    return ""


def _in_ole(file: IO[bytes]) -> str:
    for piece in _pieces(file):
        for name, reason in OLE_NAMES.items():
            if name in piece:
                return reason
    return ""


def _in_pdf(file: IO[bytes]) -> str:
    if not any(PDF_NAME.search(_unescaped(piece)) for piece in _pieces(file)):
        return ""
    file.seek(0)
    finding = reading.check(file.read())
    return REASONS[finding] if finding else ""


def _unescaped(piece: bytes) -> bytes:
    """Return a piece of a PDF file with `#61` as `a`."""
    return ESCAPE.sub(lambda escape: bytes.fromhex(escape[1].decode()), piece)


SEARCHES: Final[dict[str, Callable[[IO[bytes]], str]]] = {
    **dict.fromkeys([PLAIN, XML, UNKNOWN, RTF], _in_text),
    **dict.fromkeys([ZIP, *OFFICE_TYPES], _in_zip),
    OLE: _in_ole,
    PDF: _in_pdf,
}

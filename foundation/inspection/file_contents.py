"""File contents: active content beyond the first bytes, sought to the end in bounded memory."""

import io
import re
import time
from collections.abc import Callable, Iterator
from typing import IO, Final

from foundation.inspection import archives
from foundation.inspection.archives import WITH_PASSWORD
from foundation.inspection.file_limits import Limits
from foundation.inspection.file_types import (
    ACTIVE_TYPES,
    MEDIA,
    OFFICE_TYPES,
    OLE,
    ONENOTE,
    PDF,
    PLAIN,
    RTF,
    UNKNOWN,
    XML,
    ZIP,
    type_of_markup,
    type_of_text,
)
from foundation.inspection.office_files import COMMANDS, MACROS
from foundation.pdf import reading
from foundation.pdf.findings import Finding

PIECE = 64 * 1024  # bytes
OVERLAP = 1024  # bytes that two pieces have in common: nothing that is sought is longer
HIDDEN = "The file has another file hidden in it."
AROUND = "The PDF has other data in front of it or behind it."
MAIL = "The mail has parts that cannot be checked."
TOO_MANY = "The archive contains too many PDF files to be checked."
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
PDF_START, PDF_END, BLANK = b"%PDF-", b"%%EOF", b"\0\t\n\f\r \xef\xbb\xbf"
PDF_COMMENT = re.compile(rb"(?m)^%[^\r\n]*")
LONGEST_REST = 1024  # bytes behind a PDF file
# Archives, notes and programs; each alone, because `re` looks for a literal start by `memchr`
OTHER_FILES = [
    re.compile(start)
    for start in (
        rb"Rar!\x1a\x07",
        rb"7z\xbc\xaf\x27\x1c",
        rb"MSCF\0{4}",
        rb"This program cannot be run in DOS mode",
        rb"\x7fELF[\1\2]{2}\x01\0",
        re.escape(ONENOTE),
    )
]
ZIP_DIRECTORY, ZIP_END = b"PK\1\2", b"PK\5\6"  # each ZIP file has both
DISC_AT, DISCS = 0x8001, {b"CD001", b"BEA01"}  # images of optical discs: ISO 9660 and UDF
# Markup that is no accident in binary data
MARKUP = re.compile(
    rb"</script\s*>|<html[\s>]|<!doctype\s+html|<iframe[\s/>]|<svg[\s>]|<body[\s>]|<hta:"
    rb"|<[a-z]+[\s/][^<>]{0,200}\bon[a-z]{3,20}\s*=\s*[\"']?[a-z]+[(.=]|<\?php\s",
    re.IGNORECASE,
)
OLE_NAMES: Final = [  # in the directory of an OLE file, or in its content
    ("_VBA_PROJECT".encode("utf-16-le"), MACROS),
    ("Ole10Native".encode("utf-16-le"), MACROS),
    ("EncryptedPackage".encode("utf-16-le"), WITH_PASSWORD),
    ("__attach_version1.0".encode("utf-16-le"), MAIL),
    (bytes.fromhex("84100C0000000000C000000000000046"), MACROS),  # the class of MSI packages
]
OLE_REASONS: Final = [
    *((re.compile(re.escape(name), re.IGNORECASE), reason) for name, reason in OLE_NAMES),
    *(  # fields
        (re.compile(rb"\x13\0?(?:[\s\"\\]\0?){0,20}" + name, re.IGNORECASE), COMMANDS)
        for name in (
            rb"D\0?D\0?E",
            rb"I\0?N\0?C\0?L\0?U\0?D\0?E\0?T",
            rb"I\0?M\0?P\0?O\0?R\0?T",
            rb"I\0?N\0?C\0?L\0?U\0?D\0?E\0?P[^\x14\x15]{0,400}(?:/\0?/|\\\0?\\\0?\\\0?\\)",
            rb"L\0?I\0?N\0?K",
            rb"D\0?A\0?T\0?A\0?B\0?A\0?S\0?E",
            rb"R\0?D\0?[\s\"]",
        )
    ),
]
# Source: [MS-XLS] 2.4.28, BoundSheet8: size, visibility, macro sheet, the name's length and width,
# which older versions lack
MACRO_SHEET = re.compile(rb"\x85\0(.)\0.{4}[\0-\2]\x01([\x01-\x1f])([\0\x01]?)", re.DOTALL)
MACRO_SHEET_HEAD = 7  # bytes before the name
RTF_OBJECT = re.compile(r"\\obj(?:data|emb|autlink|link|ocx|html|update)")
RTF_GROUP = re.compile(r"\\(?:obj|fld|field|template|bin\d|mailmerge|dde)", re.IGNORECASE)
MAIL_PART = re.compile(r"^Content-Transfer-Encoding:\s{0,9}base64", re.IGNORECASE | re.MULTILINE)
OFFICE_XML = re.compile(r"<\?mso-application")
# Cells of a CSV file: `=program|'topic'!item` starts a program, `=FUNCTION(` may load an address
COMMAND_CELLS = [
    re.compile(
        r"[=+\-@*/(&,;]\s{0,3}(?:'[^'\n\r]{1,80}'|[\w.:\\/]{1,80})\|"
        r"(?:'[^'\n\r]{0,300}'|[^\s|!']{1,300})!['\"\w]"
    ),
    # "=" and "@", of full width in UTF-8 too, at the start of a cell behind any separator
    re.compile(
        r"(?:^|[^\w\s]|\t)[\s\"']{0,3}(?:(?:=|\xef\xbc\x9d)[=@+\-]{0,3}\s{0,3}[A-Za-z_][\w.]{1,40}"
        r"\s{0,3}|(?:@|\xef\xbc\xa0)[=@+\-]{0,3}[A-Za-z_][\w.]{1,40})\(",
        re.MULTILINE,
    ),
    re.compile(
        r"\b(?:WEBSERVICE|IMPORT(?:DATA|FEED|HTML|RANGE|XML)|HYPERLINK|RTD|DDE)\s{0,3}\("
        r"|[=+\-@*/&](?:CALL|EXEC|IMAGE|REGISTER)\(",
        re.IGNORECASE,
    ),
]


def find_active_content(file: IO[bytes], detected: str) -> str:
    """Return why a file of the type `detected` must be quarantined, for staff; empty if harmless.

    A PDF file with a name of PDF_NAME is read by a child process, for some seconds at worst.
    """
    return _find(file, detected, Limits())


def _find(file: IO[bytes], detected: str, limits: Limits) -> str:
    if reason := _hidden(file, detected):
        return reason
    file.seek(0)
    search = _in_media if detected.partition("/")[0] in MEDIA else SEARCHES.get(detected)
    return search(file, limits) if search else ""


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the content in pieces that overlap."""
    rest = b""
    while data := file.read(PIECE):
        piece = rest + data
        yield piece
        rest = piece[-OVERLAP:]


def _hidden(file: IO[bytes], detected: str) -> str:
    """Return HIDDEN if a program would find a file of another kind in this one; else empty.

    Old Office files have small ZIP files of their own.
    """
    zip_parts = set()
    for number, piece in enumerate(_pieces(file)):
        zip_parts |= {part for part in (ZIP_DIRECTORY, ZIP_END) if part in piece}
        is_pdf = number == 0 and PDF_START in piece[:1024] and detected not in {PDF, *ZIPS}
        if is_pdf or (detected not in ZIPS and any(other.search(piece) for other in OTHER_FILES)):
            return HIDDEN
    file.seek(DISC_AT)
    is_zip = len(zip_parts) == 2 and detected not in {OLE, *ZIPS}
    return HIDDEN if is_zip or file.read(5) in DISCS else ""


def _in_media(file: IO[bytes], _limits: Limits) -> str:
    is_found = any(MARKUP.search(piece) for piece in _pieces(file))
    return HIDDEN if is_found else ""


def _in_text(file: IO[bytes], _limits: Limits) -> str:
    """Return why a text must be quarantined; empty if harmless.

    Markup and commands are sought anywhere, a script at the beginning and after blank lines.
    """
    is_blank = True
    for piece in _pieces(file):
        text = piece.replace(b"\0", b"").decode("latin-1")  # all that is sought is ASCII
        found = type_of_text(text) if is_blank else type_of_markup(text)
        is_blank = is_blank and not text.strip()
        if found in ACTIVE_TYPES:
            return f"Active content: {found}."
        if RTF_OBJECT.search(text) or OFFICE_XML.search(text):
            return MACROS
        if any(cell.search(text) for cell in COMMAND_CELLS):
            return COMMANDS
        if MAIL_PART.search(text):
            return MAIL
    return ""


def _in_rtf(file: IO[bytes], limits: Limits) -> str:
    """Return why an RTF file must be quarantined; empty if harmless.

    Each group with an object, field or template is a reason: its content may be disguised.
    """
    pieces = (piece.replace(b"\0", b"").decode("latin-1") for piece in _pieces(file))
    if any(RTF_GROUP.search(text) for text in pieces):
        return MACROS
    file.seek(0)
    return _in_text(file, limits)


def _in_zip(file: IO[bytes], limits: Limits) -> str:
    reason = archives.reason_of_name(_pieces(file))
    if reason:
        return reason
    file.seek(0)
    return archives.find_active_member(file.read(), limits, _find)


def _in_ole(file: IO[bytes], _limits: Limits) -> str:
    """Return why an old Office file must be quarantined; empty if harmless.

    Macros and fields are sought, and in embedded ZIP files names of active content.
    """
    if reason := archives.reason_of_name(_pieces(file)):
        return reason
    file.seek(0)
    for piece in _pieces(file):
        for pattern, reason in OLE_REASONS:
            if pattern.search(piece):
                return reason
        for size, length, width in MACRO_SHEET.findall(piece):
            name = len(width) + ord(length) * (2 if width == b"\1" else 1)
            if ord(size) == MACRO_SHEET_HEAD + name:
                return MACROS
    return ""


def _in_pdf(file: IO[bytes], limits: Limits) -> str:
    content = file.read()
    if _is_surrounded(content):
        return AROUND
    if not any(PDF_NAME.search(_unescaped(piece)) for piece in _pieces(io.BytesIO(content))):
        return ""
    limits.pdfs -= 1
    if limits.pdfs < 0 or time.monotonic() > limits.deadline:
        return TOO_MANY
    finding = reading.check(content)
    return REASONS[finding] if finding else ""


def _is_surrounded(content: bytes) -> bool:
    """Return whether data lies around a PDF file, or markup between its streams."""
    front, _, _ = content.partition(PDF_START)
    _, end, behind = content.rpartition(PDF_END)
    rest = PDF_COMMENT.sub(b"", behind).strip(BLANK) if end else b""
    *streams, last = content.split(b"endstream")
    between = b"\n".join([*(part.partition(b"stream")[0] for part in streams), last])
    is_long = len(rest) > LONGEST_REST or b"<" in rest
    return bool(front.strip(BLANK)) or is_long or bool(MARKUP.search(between))


def _unescaped(piece: bytes) -> bytes:
    """Return a piece of a PDF file with `#61` as `a`."""
    return ESCAPE.sub(lambda escape: bytes.fromhex(escape[1].decode()), piece)


ZIPS: Final = {ZIP, *OFFICE_TYPES}
SEARCHES: Final[dict[str, Callable[[IO[bytes], Limits], str]]] = {
    **dict.fromkeys([PLAIN, XML, UNKNOWN], _in_text),
    **dict.fromkeys(ZIPS, _in_zip),
    RTF: _in_rtf,
    OLE: _in_ole,
    PDF: _in_pdf,
}

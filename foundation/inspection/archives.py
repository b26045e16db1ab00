"""Archives: ZIP files, looked into member by member within limits; Office files are such files."""

import io
import re
import stat
import struct
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Final
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from lxml import etree

from foundation.inspection import office_files
from foundation.inspection.file_limits import Limits
from foundation.inspection.file_names import reason_of_member_name
from foundation.inspection.file_types import (
    HEAD_BYTES,
    OLE,
    PLAIN,
    RTF,
    UNKNOWN,
    XML,
    active_extension,
    detect_type,
    reason_of_type,
)
from foundation.inspection.office_files import BROKEN, MACROS, ContentTypes

WITH_PASSWORD = "The file asks for a password, so it cannot be checked."  # noqa: S105 - a text
LINKS = "The archive contains a symbolic link."
TOO_LONG = "The archive has a file name that is too long to be checked."
TOO_LARGE = "The archive contains too much to be checked."
DAMAGED = "The archive is damaged, so it cannot be checked."
# Source: APPNOTE.TXT 4.3.7 and 4.3.12: flags, method, the length of the name. Headers may overlap
ZIP_HEADER = re.compile(rb"PK(?=(?:\x03\x04|(\x01\x02..))..(..)(..).{16}(..))", re.DOTALL)
NAME_AT, NAME_AT_IN_DIRECTORY, LONGEST_NAME = 30, 46, 900  # bytes
LAST_METHOD = 99
HEADERS_MAX = 50_000
SEARCHED: Final = {PLAIN, RTF, UNKNOWN, XML}
ENCRYPTED = 0x2001  # flags: the content, the directory
OFFICE_MACROS = re.compile(
    r"vbaproject\.bin$|/activex/|/macrosheets/|oleobject\d*\.bin$|^basic/|^scripts/|/manifest\.mf$",
    re.IGNORECASE,
)
FAULTS: Final = (
    BadZipFile, EOFError, KeyError, NotImplementedError, OverflowError, RuntimeError, ValueError,
    etree.XMLSyntaxError, struct.error, zlib.error,
)  # fmt: skip


Look = Callable[[IO[bytes], str, Limits], str]


def reason_of_name(pieces: Iterator[bytes]) -> str:
    """Return why a ZIP file must be quarantined for its members' headers; empty if harmless.

    Reasons are names of active content, too long names, passwords and too many members. The headers
    in the directory and before each member are searched.
    """
    count = 0
    for piece in pieces:
        for header in ZIP_HEADER.finditer(piece):
            count += 1
            if count > HEADERS_MAX:
                return TOO_LARGE
            flags, method, length = (int.from_bytes(header[n], "little") for n in (2, 3, 4))
            start = header.start() + (NAME_AT_IN_DIRECTORY if header[1] else NAME_AT)
            is_long = length > LONGEST_NAME
            reason = "" if is_long else _reason_of_member_name(piece[start : start + length])
            if not reason and method <= LAST_METHOD:  # otherwise this is compressed data
                reason = WITH_PASSWORD if flags & ENCRYPTED else TOO_LONG * is_long
            if reason:
                return reason
    return ""


def _reason_of_member_name(member: bytes) -> str:
    name = member.decode("utf-8", "replace")
    extension = active_extension(name)
    if OFFICE_MACROS.search(name):
        return MACROS
    if extension and not (extension == "svg" and "/media/" in name):  # icons in Office files
        return f"The archive contains active content: .{extension}."
    return ""


def find_active_member(content: bytes, limits: Limits, look: Look) -> str:
    """Return why an archive must be quarantined; empty if all members are harmless.

    `look` searches a member as if it had been sent alone.
    """
    try:
        with ZipFile(io.BytesIO(content)) as archive:
            return _reason_of_archive(archive, limits, look)
    except FAULTS:
        return DAMAGED


def _reason_of_archive(archive: ZipFile, limits: Limits, look: Look) -> str:
    members = archive.infolist()
    limits.depth -= 1
    limits.members -= len(members)
    limits.unpacked -= sum(member.file_size for member in members)
    if min(limits.depth, limits.members, limits.unpacked) < 0:
        return TOO_LARGE
    if any(member.compress_type not in {ZIP_STORED, ZIP_DEFLATED} for member in members):
        return DAMAGED
    if any(stat.S_ISLNK(member.external_attr >> 16) for member in members):
        return LINKS
    if min((member.header_offset for member in members), default=0):
        return DAMAGED  # another archive lies in front
    reasons = _reasons(archive, members, limits, look)
    found = next(filter(None, reasons), "")
    limits.depth += 1
    return found


def _reasons(archive: ZipFile, members: list[ZipInfo], limits: Limits, look: Look) -> Iterator[str]:
    by_name = {member.filename.lower(): member for member in members}
    types = by_name.get(office_files.CONTENT_TYPES)
    kind = by_name.get("mimetype")
    is_open = kind and _read(archive, kind).startswith(office_files.OPEN_DOCUMENT)
    parts = ContentTypes.parse(_read(archive, types)) if types else None
    if (parts or is_open) and len(by_name) < len(members):
        yield BROKEN  # programs differ in which of two parts with the same name they read
    if parts and parts.are_active:
        yield MACROS
    is_office = bool(parts or is_open)
    for member in members:
        if not is_office and not member.is_dir():
            yield reason_of_member_name(member.filename)
        content = _read(archive, member)
        content_type = parts.of(member.filename) if parts and member is not types else ""
        if content_type:
            yield office_files.reason_of_part(member.filename, content_type, content, limits)
        is_part = office_files.is_xml(content) and (content_type or member is types or is_open)
        if is_part and not content_type and is_open:
            yield office_files.reason_of_open_document(content, limits)
        if not is_part:
            yield _reason_of_member(content, limits, look, is_office=is_office)


def _read(archive: ZipFile, member: ZipInfo) -> bytes:
    """Read a member up to its declared size: `ZipFile.read` would first unpack all of it."""
    with archive.open(member) as file:
        return file.read(member.file_size)


def _reason_of_member(content: bytes, limits: Limits, look: Look, *, is_office: bool) -> str:
    detected = detect_type(content[:HEAD_BYTES])
    if is_office and detected == OLE:
        return MACROS
    if detected in SEARCHED:
        limits.searched -= len(content)
    if limits.searched < 0:
        return TOO_LARGE
    return reason_of_type(detected) or look(io.BytesIO(content), detected, limits)

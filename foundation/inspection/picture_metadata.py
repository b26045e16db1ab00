"""Picture metadata: removed from JPEG and PNG files byte by byte, without decoding them.

A photo says where and with which phone it was taken. Its orientation stays, so that browsers show
it the right way up, and so do its colors.
"""

import re
import struct
import zlib
from collections.abc import Iterator
from typing import Final

JPEG_START, PNG_START = b"\xff\xd8", b"\x89PNG\r\n\x1a\n"
END_OF_IMAGE, START_OF_SCAN, COMMENT = 0xD9, 0xDA, 0xFE
APPLICATION = range(0xE0, 0xF0)  # segments of applications
KEPT_SEGMENTS: Final = [(0xE0, b"JFIF\0"), (0xE2, b"ICC_PROFILE\0"), (0xEE, b"Adobe")]
EXIF_SEGMENT, EXIF = 0xE1, b"Exif\0\0"
SCAN_END = re.compile(rb"\xff[^\0\xd0-\xd7\xff]")  # a marker that ends the data of a scan
KEPT_CHUNKS: Final = {  # of PNG files
    b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"cHRM", b"gAMA", b"iCCP", b"sBIT", b"sRGB",
    b"bKGD", b"pHYs", b"cICP",
}  # fmt: skip
ORIENTATION, UPRIGHT = 0x0112, 1
ENTRY_BYTES, ENTRIES_MAX = 12, 200
# Source: TIFF 6.0 section 2; one directory with one entry, a short number
TIFF = struct.Struct(">2sHIHHHIHHI")


class _Broken(Exception):
    """The file is not built as its format says."""


def without_metadata(content: bytes) -> bytes:
    """Return a JPEG or PNG file without metadata and without data behind its end.

    A file of another kind, or one that is broken, is returned as it is.
    """
    try:
        if content.startswith(JPEG_START):
            return b"".join(_jpeg(content))
        if content.startswith(PNG_START):
            return b"".join(_png(content))
    except (_Broken, struct.error):
        pass
    return content


def _jpeg(content: bytes) -> Iterator[bytes]:
    """Yield the parts of a JPEG file to keep. Source: ITU-T T.81 annex B."""
    yield JPEG_START
    yield from _jpeg_orientation(content)
    for marker, segment in _segments(content):
        is_known = any(
            marker == kept and segment[4:].startswith(start) for kept, start in KEPT_SEGMENTS
        )
        if is_known or not (marker in APPLICATION or marker == COMMENT):
            yield segment


def _jpeg_orientation(content: bytes) -> Iterator[bytes]:
    for marker, segment in _segments(content):
        if marker == EXIF_SEGMENT and segment[4:].startswith(EXIF):
            if tiff := _orientation_only(segment[4 + len(EXIF) :]):
                head = struct.pack(">BBH", 0xFF, EXIF_SEGMENT, 2 + len(EXIF) + len(tiff))
                yield head + EXIF + tiff
            return


def _segments(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield marker and bytes of each segment; the data of a scan belongs to its segment."""
    place = len(JPEG_START)
    while True:
        while content[place : place + 2] == b"\xff\xff":  # fill bytes
            place += 1
        start, marker = struct.unpack_from(">BB", content, place)
        if start != 0xFF:
            raise _Broken
        if marker == END_OF_IMAGE:
            yield marker, content[place : place + 2]
            return
        (length,) = struct.unpack_from(">H", content, place + 2)
        end = place + 2 + length
        if marker == START_OF_SCAN:
            found = SCAN_END.search(content, end)
            end = found.start() if found else len(content)
        if length < 2 or end > len(content):
            raise _Broken
        yield marker, content[place:end]
        place = end


def _png(content: bytes) -> Iterator[bytes]:
    """Yield the parts of a PNG file to keep. Source: W3C PNG, section 5."""
    yield PNG_START
    place, name = len(PNG_START), b""
    while name != b"IEND":
        length, name = struct.unpack_from(">I4s", content, place)
        end = place + 12 + length
        if end > len(content):
            raise _Broken
        if name == b"eXIf" and (tiff := _orientation_only(content[place + 8 : end - 4])):
            body = name + tiff
            yield struct.pack(">I", len(tiff)) + body + struct.pack(">I", zlib.crc32(body))
        if name in KEPT_CHUNKS:
            yield content[place:end]
        place = end


def _orientation_only(tiff: bytes) -> bytes:
    """Return TIFF data with the orientation alone; empty for a picture that is upright."""
    orientation = _orientation(tiff)
    if orientation == UPRIGHT:
        return b""
    return TIFF.pack(b"MM", 42, 8, 1, ORIENTATION, 3, 1, orientation, 0, 0)


def _orientation(tiff: bytes) -> int:
    """Return the orientation of TIFF data; UPRIGHT if it is not there or makes no sense."""
    order = {b"II": "<", b"MM": ">"}.get(tiff[:2])
    if order is None:
        return UPRIGHT
    try:
        (place,) = struct.unpack_from(f"{order}I", tiff, 4)
        (count,) = struct.unpack_from(f"{order}H", tiff, place)
        for number in range(min(count, ENTRIES_MAX)):
            entry = place + 2 + number * ENTRY_BYTES
            tag, _kind, _count, value = struct.unpack_from(f"{order}HHIH", tiff, entry)
            if tag == ORIENTATION:
                return int(value) if value in range(2, 9) else UPRIGHT
    except struct.error:
        pass
    return UPRIGHT

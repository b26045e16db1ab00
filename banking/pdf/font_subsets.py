"""Reduce a subset of a TrueType font to the tables that a PDF reader draws with.

reportlab keeps the names of the font, its hinting programs and the instructions of each glyph.
Readers draw outlines at the resolution of the page and need none of them (ISO 32000-1, 9.9). The
outlines and the widths of the characters stay the same.
"""

import struct
from collections.abc import Iterator, Sequence
from itertools import pairwise

KEPT = (b"cmap", b"glyf", b"head", b"hhea", b"hmtx", b"loca", b"maxp")
HEADER, ENTRY = struct.Struct(">LHHHH"), struct.Struct(">4sLLL")
LOCA_FORMAT = 50  # offset of `indexToLocFormat` in the table `head`
CHECKSUM = 8  # offset of `checkSumAdjustment` in the table `head`
FLAG_REPEATED, MORE_COMPONENTS, HAS_INSTRUCTIONS = 0x08, 0x20, 0x100
BLOCK = 100  # ranges of a CMap in one block
CMAP = """\
/CIDInit/ProcSet findresource begin
12 dict begin
begincmap
/CMapName/{name} def
/CMapType 2 def
1 begincodespacerange
<00><FF>
endcodespacerange
{blocks}endcmap
CMapName currentdict/CMap defineresource pop
end
end"""
WORDS, SCALE, SCALES, MATRIX = 0x01, 0x08, 0x40, 0x80


def to_unicode(name: str, codes: Sequence[int]) -> str:
    """Return the CMap, as a text of PDF, that maps the codes of a font to Unicode characters.

    `codes` has the character of each code; 0 stands for an unused code. Replaces a function of
    reportlab, which writes a line for each code, used or not.
    """
    runs: list[tuple[int, int]] = []
    for code, character in enumerate(codes):
        first, last = runs[-1] if runs else (0, -2)
        if runs and code == last + 1 and character == codes[first] + code - first:
            runs[-1] = (first, code)
        elif character:  # others are used by no text of the document
            runs.append((code, code))
    blocks = [runs[start : start + BLOCK] for start in range(0, len(runs), BLOCK)]
    return CMAP.format(name=name, blocks="".join(_ranges(block, codes) for block in blocks))


def _ranges(runs: Sequence[tuple[int, int]], codes: Sequence[int]) -> str:
    lines = (f"<{first:02X}><{last:02X}><{codes[first]:04X}>\n" for first, last in runs)
    return f"{len(runs)} beginbfrange\n{''.join(lines)}endbfrange\n"


def reduced(font: bytes) -> bytes:
    """Return a TrueType font without hinting and without the tables that PDF readers ignore."""
    tables = {tag: content for tag, content in _tables(font) if tag in KEPT}
    glyphs = [_without_instructions(glyph) for glyph in _glyphs(tables)]
    offsets = [0]
    for glyph in glyphs:
        offsets.append(offsets[-1] + len(glyph) // 2)
    tables[b"glyf"] = b"".join(glyphs)
    tables[b"loca"] = struct.pack(f">{len(offsets)}H", *offsets)
    head = bytearray(tables[b"head"])
    struct.pack_into(">h", head, LOCA_FORMAT, 0)  # offsets in units of two bytes
    struct.pack_into(">L", head, CHECKSUM, 0)
    tables[b"head"] = bytes(head)
    return _assembled(tables)


def _tables(font: bytes) -> Iterator[tuple[bytes, bytes]]:
    _version, count, *_ = HEADER.unpack_from(font)
    for number in range(count):
        tag, _sum, start, length = ENTRY.unpack_from(font, HEADER.size + number * ENTRY.size)
        yield tag, font[start : start + length]


def _glyphs(tables: dict[bytes, bytes]) -> list[bytes]:
    loca, (is_long,) = tables[b"loca"], struct.unpack_from(">h", tables[b"head"], LOCA_FORMAT)
    if is_long:
        offsets = struct.unpack(f">{len(loca) // 4}L", loca)
    else:
        offsets = tuple(2 * half for half in struct.unpack(f">{len(loca) // 2}H", loca))
    outlines = tables[b"glyf"]
    return [outlines[start:end] for start, end in pairwise(offsets)]


def _without_instructions(glyph: bytes) -> bytes:
    """Return a glyph without its hinting program, padded to an even length."""
    if not glyph:
        return b""
    (contours,) = struct.unpack_from(">h", glyph)
    bare = _simple(glyph, contours) if contours >= 0 else _composite(glyph)
    return bare + bytes(len(bare) % 2)


def _simple(glyph: bytes, contours: int) -> bytes:
    end = 10 + 2 * contours  # after the header and the last point of each contour
    (length,) = struct.unpack_from(">H", glyph, end)
    flags = end + 2 + length
    return glyph[:end] + b"\0\0" + glyph[flags : _end_of_points(glyph, contours, flags)]


def _end_of_points(glyph: bytes, contours: int, at: int) -> int:
    """Return the offset in a glyph at which the coordinates end; padding may follow.

    `at` is the offset at which the flags of the points begin.
    """
    points = struct.unpack_from(">H", glyph, 8 + 2 * contours)[0] + 1 if contours else 0
    coordinates = 0
    while points > 0:
        flag, repeats = glyph[at], 1
        at += 1
        if flag & FLAG_REPEATED:
            repeats += glyph[at]
            at += 1
        points -= repeats
        coordinates += repeats * (_width(flag, 0x02, 0x10) + _width(flag, 0x04, 0x20))
    return at + coordinates


def _width(flag: int, is_short: int, is_same: int) -> int:
    """Return the number of bytes that a point's coordinate takes."""
    if flag & is_short:
        return 1
    return 0 if flag & is_same else 2


def _composite(glyph: bytes) -> bytes:
    at, parts = 10, bytearray(glyph[:10])
    flags = MORE_COMPONENTS
    while flags & MORE_COMPONENTS:
        (flags,) = struct.unpack_from(">H", glyph, at)
        size = 8 if flags & WORDS else 6
        size += 2 * bool(flags & SCALE) + 4 * bool(flags & SCALES) + 8 * bool(flags & MATRIX)
        parts += struct.pack(">H", flags & ~HAS_INSTRUCTIONS) + glyph[at + 2 : at + size]
        at += size
    return bytes(parts)


def _assembled(tables: dict[bytes, bytes]) -> bytes:
    """Return the font file made of tables, with the checksums that the format requires."""
    count = len(tables)
    largest = 1 << count.bit_length() - 1
    head = HEADER.pack(
        0x10000, count, 16 * largest, largest.bit_length() - 1, 16 * (count - largest)
    )
    entries, body, start = [], [], HEADER.size + count * ENTRY.size
    for tag, content in sorted(tables.items()):
        entries.append(ENTRY.pack(tag, _checksum(content), start, len(content)))
        body.append(content + bytes(-len(content) % 4))
        start += len(body[-1])
    return b"".join([head, *entries, *body])


def _checksum(content: bytes) -> int:
    padded = content + bytes(-len(content) % 4)
    return sum(struct.unpack(f">{len(padded) // 4}L", padded)) & 0xFFFFFFFF

"""Write the objects of a PDF file as they come, small objects in object streams.

A tagged table has an object per cell, which object streams (ISO 32000-1, 7.5.7) compress together.
Each full stream is written and freed, so a long document takes no more memory than a short one.
"""

import hashlib
import struct
import zlib
from collections.abc import Callable
from typing import BinaryIO

HEADER = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"
PACK = 200  # objects in one stream
ENTRY = struct.Struct(">BIH")  # of the cross-reference stream
PLAIN, PACKED = 1, 2


class PdfFile:
    """One PDF file being written to `target`, which need not be seekable."""

    def __init__(self, target: BinaryIO, *, new_number: Callable[[], int]) -> None:
        self.new_number = new_number
        self._target = target
        self._offset = 0
        self._digest = hashlib.sha256()
        self._places = bytearray()
        self._pack: list[tuple[int, bytes]] = []
        self._write(HEADER)

    def pack(self, number: int, content: bytes) -> None:
        """Add an object that is no stream to the current object stream."""
        self._pack.append((number, content))
        if len(self._pack) == PACK:
            self._write_pack()

    def stream(self, number: int, content: bytes, entries: bytes = b"") -> None:
        """Add a stream, compressed, with further `entries` of its dictionary."""
        packed = zlib.compress(content, 9)
        entries += b"/Filter/FlateDecode/Length %d" % len(packed)
        self.plain(number, b"<<%s>>\nstream\n%s\nendstream\n" % (entries, packed))

    def plain(self, number: int, content: bytes) -> None:
        """Write an object at once, outside object streams and not compressed."""
        self._place(number, PLAIN, self._offset, 0)
        self._write(b"%d 0 obj\n%sendobj\n" % (number, content))

    def finish(self, *, root: int, info: int) -> None:
        """Write the remaining objects and the cross-reference stream, which ends the file.

        Shape: `root` and `info` are the numbers of the catalog and of the information dictionary.
        """
        if self._pack:
            self._write_pack()
        start, number = self._offset, self.new_number()
        self._place(number, PLAIN, start, 0)
        name = self._digest.hexdigest()[:32].encode()
        entries = (
            b"/Type/XRef/W[1 4 2]/Size %d/Root %d 0 R/Info %d 0 R/ID[<%s><%s>]"
            b"/DecodeParms<</Predictor 12/Columns %d>>"
        )
        size = len(self._places) // ENTRY.size
        facts = (size, root, info, name, name, ENTRY.size)
        self.stream(number, _differences(bytes(self._places)), entries % facts)
        self._write(b"startxref\n%d\n%%%%EOF\n" % start)

    def _write_pack(self) -> None:
        number, pack, self._pack = self.new_number(), self._pack, []
        heads, offset = [], 0
        for index, (packed, content) in enumerate(pack):
            self._place(packed, PACKED, number, index)
            heads.append(b"%d %d " % (packed, offset))
            offset += len(content) + 1
        head = b"".join(heads)
        body = b"\n".join(content for _, content in pack)
        self.stream(number, head + body, b"/Type/ObjStm/N %d/First %d" % (len(pack), len(head)))

    def _place(self, number: int, kind: int, where: int, index: int) -> None:
        start = number * ENTRY.size
        if (missing := start + ENTRY.size - len(self._places)) > 0:
            self._places.extend(bytes(missing))
        ENTRY.pack_into(self._places, start, kind, where, index)

    def _write(self, content: bytes) -> None:
        self._target.write(content)
        self._digest.update(content)
        self._offset += len(content)


def _differences(rows: bytes) -> bytes:
    """Return each row as the byte 2 and its differences from the row above, which compress better.

    Source: the filter Up of PNG (ISO 32000-1, 7.4.4.4).
    """
    changes, above = bytearray(), bytes(ENTRY.size)
    for start in range(0, len(rows), ENTRY.size):
        row = rows[start : start + ENTRY.size]
        changes.append(2)
        changes.extend((one - other) % 256 for one, other in zip(row, above, strict=True))
        above = row
    return bytes(changes)


def pdf_text(text: str) -> bytes:
    """Return a text as a string object in the syntax of PDF."""
    if text.isascii() and text.isprintable():
        escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        return b"(%s)" % escaped.encode()
    return b"<FEFF%s>" % text.encode("utf-16-be", "replace").hex().upper().encode()

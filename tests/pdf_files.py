"""PDF files for tests, written object by object: harmless, active, damaged and too large."""

import io
import struct
import zlib

PAGE = {
    1: b"<< /Type /Catalog /Pages 2 0 R %s >>",
    2: b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    3: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents 4 0 R %s >>",
}
FIRST_OWN = 5  # number of the first object besides those of the page
BLACK = b"0 0 100 100 re f"


def stream(data, entries=b"", times=1):
    """Return a compressed stream object of the data, as often as told."""
    packed = compress(data, times)
    head = b"<< /Length %d /Filter /FlateDecode %s >>" % (len(packed), entries)
    return head + b"\nstream\n" + packed + b"\nendstream"


def compress(data, times):
    """Return what zlib makes of repeated data, without holding or compressing it more than once."""
    packer, check = zlib.compressobj(wbits=-zlib.MAX_WBITS), 1
    block = packer.compress(data) + packer.flush(zlib.Z_FULL_FLUSH)
    for _ in range(times):
        check = zlib.adler32(data, check)
    end = zlib.compressobj(wbits=-zlib.MAX_WBITS).flush()
    return b"\x78\x9c" + block * times + end + check.to_bytes(4, "big")


def make_pdf(
    *own, catalog=b"", page=b"", size=(595, 842), drawing=BLACK, times=1, is_compressed=False
):
    """Return a PDF file of one page, with further objects, numbered from FIRST_OWN.

    `times` is how often the page is drawn.
    `is_compressed` puts the catalog and the further objects into an object stream.
    """
    objects = {
        1: PAGE[1] % catalog,
        2: PAGE[2],
        3: PAGE[3] % (*size, page),
        4: stream(drawing, times=times),
        **dict(enumerate(own, FIRST_OWN)),
    }
    hidden = [number for number in objects if is_compressed and number not in {2, 3, 4}]
    return _write(objects, hidden)


def _write(objects, hidden):
    file, places = io.BytesIO(), {}
    file.write(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    count = max(objects) + 1
    if hidden:
        objects[count] = object_stream(*((number, objects.pop(number)) for number in hidden))
        places = {number: (2, count, index) for index, number in enumerate(hidden)}
        count += 1
    for number, body in objects.items():
        places[number] = (1, file.tell(), 0)
        file.write(b"%d 0 obj\n" % number + body + b"\nendobj\n")
    start = file.tell()
    places[count] = (1, start, 0)
    rows = [places.get(number, (0, 0, 0)) for number in range(count + 1)]
    table = b"".join(struct.pack(">BIH", *row) for row in rows)
    entries = b"/Type /XRef /Size %d /W [1 4 2] /Root 1 0 R" % len(rows)
    file.write(b"%d 0 obj\n" % count + stream(table, entries) + b"\nendobj\n")
    file.write(b"startxref\n%d\n%%%%EOF\n" % start)
    return file.getvalue()


def update_pdf(content, number, body):
    """Return a PDF file with a new version of an object behind the file as it was."""
    before = content.rpartition(b"startxref\n")[2].partition(b"\n")[0]
    added = b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(content) + len(added)
    table = struct.pack(">BIH", 1, len(content), 0) + struct.pack(">BIH", 1, start, 0)
    entries = b"/Type /XRef /Size 100 /Index [%d 1 99 1] /W [1 4 2] /Root 1 0 R /Prev %s"
    end = b"99 0 obj\n" + stream(table, entries % (number, before)) + b"\nendobj\n"
    return content + added + end + b"startxref\n%d\n%%%%EOF\n" % start


def with_unlisted(content, body):
    """Return a PDF file with an object that no cross-reference table lists."""
    front, word, behind = content.rpartition(b"startxref")
    return front + b"98 0 obj\n" + body + b"\nendobj\n" + word + behind


def object_stream(*pairs):
    """Return an object stream of numbers and objects."""
    head, bodies = b"", b""
    for number, body in pairs:
        head += b"%d %d " % (number, len(bodies))
        bodies += body + b"\n"
    return stream(head + bodies, b"/Type /ObjStm /N %d /First %d" % (len(pairs), len(head)))

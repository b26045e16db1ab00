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


def stream(data, entries=b""):
    """Return a compressed stream object."""
    packed = zlib.compress(data)
    head = b"<< /Length %d /Filter /FlateDecode %s >>" % (len(packed), entries)
    return head + b"\nstream\n" + packed + b"\nendstream"


def make_pdf(*own, catalog=b"", page=b"", size=(595, 842), drawing=BLACK, is_compressed=False):
    """Return a PDF file of one page, with further objects, numbered from FIRST_OWN.

    `is_compressed` puts the catalog and the further objects into an object stream.
    """
    objects = {
        1: PAGE[1] % catalog,
        2: PAGE[2],
        3: PAGE[3] % (*size, page),
        4: stream(drawing),
        **dict(enumerate(own, FIRST_OWN)),
    }
    hidden = [number for number in objects if is_compressed and number not in {2, 3, 4}]
    return _write(objects, hidden)


def _write(objects, hidden):
    file, places = io.BytesIO(), {}
    file.write(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    count = max(objects) + 1
    if hidden:
        head, bodies = b"", b""
        for number in hidden:
            head += b"%d %d " % (number, len(bodies))
            bodies += objects.pop(number) + b"\n"
        entries = b"/Type /ObjStm /N %d /First %d" % (len(hidden), len(head))
        objects[count] = stream(head + bodies, entries)
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

"""Read PDF documents back with another library than the one that writes them."""

import re
from dataclasses import dataclass
from io import BytesIO

from pyhanko.pdf_utils import generic
from pyhanko.pdf_utils.reader import PdfFileReader

OPERATION = re.compile(
    rb"/(?P<tag>\w+) <</MCID (?P<mark>\d+)>> BDC"
    rb"|/(?P<artifact>Artifact) BMC"
    rb"|(?P<end>EMC)"
    rb"|/(?P<font>F\d+\+\d+) [\d.]+ Tf"
    rb"|\((?P<text>(?:\\.|[^\\()])*)\) Tj",
    re.DOTALL,
)
ESCAPE = re.compile(rb"\\([0-7]{1,3}|.)", re.DOTALL)
CODES = re.compile(rb"<([0-9A-Fa-f]{2})><([0-9A-Fa-f]{2})><([0-9A-Fa-f]{4})>")


@dataclass(frozen=True)
class Node:
    """An element of the structure, with the text that is marked as its own."""

    tag: str
    text: str
    children: tuple["Node", ...]
    entries: generic.DictionaryObject

    def all(self, tag):
        found = [self] if self.tag == tag else []
        return found + [node for child in self.children for node in child.all(tag)]


@dataclass(frozen=True)
class PageText:
    """The texts of one page: by mark, and those of its decoration."""

    marked: dict[int, str]
    tags: dict[int, str]
    decoration: str

    @property
    def text(self):
        return "\n".join([*self.marked.values(), self.decoration])


class ReadDocument:
    """A document as a reader finds it."""

    def __init__(self, pdf):
        self.file = PdfFileReader(BytesIO(pdf))
        self.root = self.file.root
        self.title = self.file.trailer["/Info"]["/Title"]
        self.page_objects = list(self.root["/Pages"]["/Kids"])
        self._page_numbers = [kid.idnum for kid in self.page_objects]
        self.pages = [read_page(page) for page in self.root["/Pages"]["/Kids"]]
        self.text = "\n".join(page.text for page in self.pages)

    @property
    def structure(self):
        return self._node(self.root["/StructTreeRoot"]["/K"])

    def rows(self, table=0):
        """Return the cells of one table as lists of text."""
        found = self.structure.all("Table")[table].all("TR")
        return [[cell.text for cell in row.children] for row in found]

    def _node(self, entries):
        kids = entries["/K"]
        if isinstance(kids, generic.NumberObject):
            page = self._page_numbers.index(entries.raw_get("/Pg").idnum)
            return Node(entries["/S"][1:], self.pages[page].marked[int(kids)], (), entries)
        children = tuple(self._node(kid.get_object()) for kid in kids)
        return Node(entries["/S"][1:], "", children, entries)


def read_page(reference):
    page = reference.get_object()
    fonts = {name[1:]: codes_of(font) for name, font in page["/Resources"]["/Font"].items()}
    marked, tags, decoration, codes, mark = {}, {}, "", {}, None
    drawing = b"\n".join(part.get_object().data for part in page["/Contents"])
    for found in OPERATION.finditer(drawing):
        if found["tag"]:
            mark = int(found["mark"])
            assert mark not in marked
            marked[mark], tags[mark] = "", found["tag"].decode()
        elif found["artifact"]:
            mark = -1
        elif found["end"]:
            assert mark is not None
            mark = None
        elif found["font"]:
            codes = fonts[found["font"].decode()]
        elif mark == -1:
            decoration += shown(found["text"], codes) + "\n"
        else:
            assert mark is not None, "text outside of the structure"
            marked[mark] += shown(found["text"], codes)
    return PageText({key: text.strip() for key, text in marked.items()}, tags, decoration)


def codes_of(font):
    cmap = font.get_object()["/ToUnicode"].data
    runs = [[int(number, 16) for number in run] for run in CODES.findall(cmap)]
    return {
        code: chr(char + code - first)
        for first, last, char in runs
        for code in range(first, last + 1)
    }


def shown(escaped, codes):
    return "".join(codes[byte] for byte in ESCAPE.sub(unescaped, escaped))


def unescaped(found):
    named = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}
    code = found[1]
    return bytes([int(code, 8)]) if code.isdigit() else named.get(code, code)

"""A canvas whose drawing is tagged: each text belongs to an element of the document's structure.

reportlab draws and makes the fonts; the structure tree (ISO 32000-1, 14.7 and 14.8), the pages and
the catalog are written here, each as soon as it is complete.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import BinaryIO

from reportlab.pdfbase import pdfdoc, pdfmetrics  # type: ignore[import-untyped]  # has no types
from reportlab.pdfbase.ttfonts import TTFont  # type: ignore[import-untyped]  # has no types
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]  # has no types

from banking.pdf.pdf_files import PdfFile, pdf_text
from banking.pdf.typefaces import KeptCompression

LETTER = (612.0, 792.0)
BASIC_FONTS = "BasicFonts"  # reportlab's name for the dictionary of all fonts of a document
ESCAPED = str.maketrans({"\\": r"\\", "(": r"\(", ")": r"\)"})
Color = tuple[float, float, float]
Footer = Callable[[int, int], None]


@dataclass
class Element:
    """A structure element that is not written yet, because drawing inside it goes on.

    Shape: `number`, `parent` and `children` are numbers of PDF objects.
    """

    tag: str
    number: int
    parent: int
    attributes: bytes = b""
    children: list[int] = field(default_factory=list)


class Marked:
    """A context manager for marked content, which ends with the `with` block."""

    __slots__ = ("_code",)

    def __init__(self, code: list[str]) -> None:
        self._code = code

    def __enter__(self) -> None: ...

    def __exit__(self, *_error: object) -> None:
        self._code.append("EMC")


class TaggedCanvas(Canvas):
    """A canvas of letter size; draw inside `element` and `leaf`, or `artifact` for decoration."""

    def __init__(self, target: BinaryIO, *, title: str, author: str, made_at: datetime) -> None:
        super().__init__(None, pagesize=LETTER, pageCompression=1, invariant=1, lang="en-US")
        self._file = PdfFile(target, new_number=self._new_number)
        self._title, self._author, self._made_at = title, author, made_at
        self._tree, self._page_tree = self._new_number(), self._new_number()
        self._document = self._new_number()
        self._open = [Element("Document", self._document, self._tree)]
        self._pages: list[tuple[int, int, int]] = []  # page, its drawing, its footer
        self._parents: list[int] = []
        self._color: Color | None = None
        self._names: dict[str, str] = {}  # of fonts
        self._shown: defaultdict[str, set[str]] = defaultdict(set)  # characters, by font
        self._turn_page()

    @contextmanager
    def element(self, tag: str) -> Iterator[None]:
        """Group the leaves drawn in the `with` block under one element, such as Table or TR."""
        element = Element(tag, self._new_number(), self._open[-1].number)
        self._open[-1].children.append(element.number)
        self._open.append(element)
        yield
        self._close(self._open.pop())

    def leaf(self, tag: str, attributes: bytes = b"") -> "Marked":
        """Tag the drawing in the `with` block as the content of one element, such as P or TD.

        The page must not be turned inside the block.
        """
        number, parent = self._new_number(), self._open[-1]
        parent.children.append(number)
        place = (tag.encode(), parent.number, len(self._marked), self._page, attributes)
        self._file.pack(number, b"<</S/%s/P %d 0 R/K %d/Pg %d 0 R%s>>" % place)
        self._code.append(f"/{tag} <</MCID {len(self._marked)}>> BDC")
        self._marked.append(number)
        return Marked(self._code)

    @contextmanager
    def figure(self, alternative: str, box: tuple[float, float, float, float]) -> Iterator[None]:
        """Tag the drawing in the `with` block as a figure with the text `alternative`.

        Shape: `box` is left, bottom, right, top. The page must not be turned inside the block.
        """
        place = b"/A<</O/Layout/Placement/Block/BBox[%.2f %.2f %.2f %.2f]>>" % box
        with self.leaf("Figure", b"/Alt%s%s" % (pdf_text(alternative), place)):
            yield

    def artifact(self) -> "Marked":
        """Mark the drawing in the `with` block as decoration, which is not read aloud."""
        self._code.append("/Artifact BMC")
        return Marked(self._code)

    def fill(self, color: Color) -> None:
        """Set the fill color of the drawing that follows."""
        if color != self._color:
            self._color = color
            self._code.append(_filling(color))

    def block(self, x: float, y: float, width: float, height: float) -> None:
        """Draw a rectangle in the fill color; `x` and `y` are its lower left corner."""
        self._code.append(f"{x:.2f} {y:.2f} {width:.2f} {height:.2f} re f")

    def show(self, x: float, y: float, text: str, font: str, size: float) -> None:
        """Draw `text` from `x` on at the base line `y`, in place of reportlab's `drawString`."""
        self._shown[font].update(text)
        if text.isascii() and text.isprintable():  # else documents take a fifth longer
            name = self._names.get(font) or self._name_of(font)
            shown = f"{name} {size:.4g} Tf ({text.translate(ESCAPED)}) Tj"
        else:
            shown = self._encoded(text, font, size)
        self._code.append(f"BT {x:.2f} {y:.2f} Td {shown} ET")

    def _name_of(self, font: str) -> str:
        """Return the PDF name of the subset of a font in which ASCII characters are their codes."""
        typeface = pdfmetrics.getFont(font)
        [(part, _)] = typeface.splitString(" ", self._doc)
        name = self._names[font] = str(typeface.getSubsetInternalName(part, self._doc))
        return name

    def _encoded(self, text: str, font: str, size: float) -> str:
        typeface, document = pdfmetrics.getFont(font), self._doc
        return " ".join(
            f"{typeface.getSubsetInternalName(part, document)} {size:.4g} Tf "
            f"({self._escape(codes)}) Tj"
            for part, codes in typeface.splitString(text, document)
        )

    def showPage(self) -> None:  # noqa: N802 - reportlab's name
        """Write the drawing of the page to the file, free its memory and begin the next page."""
        drawing = self._drawing()
        parents = self._new_number()
        self._file.pack(parents, b"[%s]" % _references(self._marked))
        self._parents.append(parents)
        self._pages.append((self._page, drawing, self._new_number()))
        self._startPage()
        self._turn_page()

    def finish(self, footer: Footer) -> None:
        """Write the last page, all footers, fonts and the structure tree, and end the file.

        `footer` gets the number of a page and the number of pages, and draws the footer.
        """
        self.showPage()
        for index, (page, drawing, foot) in enumerate(self._pages):
            footer(index + 1, len(self._pages))
            self._file.stream(foot, self._taken())
            self._write_page(index, page, drawing, foot)
        self._write_fonts()
        self._close(self._open.pop())
        self._write_tree()
        self._file.finish(root=self._write_catalog(), info=self._write_info())

    def _make_preamble(self) -> None:
        self._preamble = ""  # reportlab would name Helvetica, which is not embedded

    def _new_number(self) -> int:
        self._doc.objectcounter += 1
        return int(self._doc.objectcounter)

    def _turn_page(self) -> None:
        self._page = self._new_number()
        self._marked: list[int] = []

    def _drawing(self) -> int:
        number = self._new_number()
        self._file.stream(number, self._taken())
        return number

    def _taken(self) -> bytes:
        """Return the drawing operators since the last call, within q and Q, and forget them."""
        code = "\n".join(["q", *self._code, "Q"]).encode("latin-1")
        self._restartAccumulators()
        self._color = None
        return code

    def _close(self, element: Element) -> None:
        children = _references(element.children)
        place = (element.tag.encode(), element.parent, children, element.attributes)
        self._file.pack(element.number, b"<</S/%s/P %d 0 R/K[%s]%s>>" % place)

    def _write_page(self, index: int, page: int, drawing: int, foot: int) -> None:
        self._file.pack(
            page,
            b"<</Type/Page/Parent %d 0 R/MediaBox[0 0 %d %d]/Resources<</Font %d 0 R>>"
            b"/Contents[%s]/StructParents %d/Tabs/S>>"
            % (self._page_tree, *LETTER, self._fonts, _references([drawing, foot]), index),
        )

    @property
    def _fonts(self) -> int:
        return int(self._doc.idToObjectNumberAndVersion[BASIC_FONTS][0])

    def _write_fonts(self) -> None:
        """Write the fonts of reportlab: their dictionary, subsets and widths."""
        document = self._doc
        for font in document.delayedFonts:
            self._leave_out_unused(font)
            font.addObjects(document)
        number = 0
        while number < document.objectcounter:  # it grows while objects are formatted
            number += 1
            if name := document.numberToId.get(number):
                self._write_object(number, document.idToObject[name])

    def _leave_out_unused(self, font: TTFont) -> None:
        """Replace characters in the font's subsets that the document never shows by character 0."""
        shown = {ord(char) for char in self._shown[font.fontName]}
        subsets = font.state[self._doc].subsets
        subsets[:] = [[code if code in shown else 0 for code in subset] for subset in subsets]

    def _write_object(self, number: int, thing: pdfdoc.PDFObject) -> None:
        if isinstance(thing, pdfdoc.PDFStream):
            thing.filters = [KeptCompression()]
            self._file.plain(number, pdfdoc.format(thing, self._doc, toplevel=1))
        else:
            self._file.pack(number, pdfdoc.format(thing, self._doc, toplevel=1))

    def _write_tree(self) -> None:
        pages = _references([page for page, *_ in self._pages])
        count = len(self._pages)
        self._file.pack(self._page_tree, b"<</Type/Pages/Count %d/Kids[%s]>>" % (count, pages))
        numbered = b" ".join(b"%d %d 0 R" % pair for pair in enumerate(self._parents))
        self._file.pack(
            self._tree,
            b"<</Type/StructTreeRoot/K %d 0 R/ParentTree<</Nums[%s]>>/ParentTreeNextKey %d>>"
            % (self._document, numbered, count),
        )

    def _write_catalog(self) -> int:
        number = self._new_number()
        self._file.pack(
            number,
            b"<</Type/Catalog/Pages %d 0 R/StructTreeRoot %d 0 R/MarkInfo<</Marked true>>"
            b"/Lang(en-US)/ViewerPreferences<</DisplayDocTitle true>>>>"
            % (self._page_tree, self._tree),
        )
        return number

    def _write_info(self) -> int:
        number = self._new_number()
        texts = (pdf_text(self._title), pdf_text(self._author))
        made = f"{self._made_at.astimezone(UTC):%Y%m%d%H%M%S}Z".encode()
        entries = b"/Title%s/Author%s/Producer(Vestibule)/CreationDate(D:%s)" % (*texts, made)
        self._file.pack(number, b"<<%s>>" % entries)
        return number


@cache
def _filling(color: Color) -> str:
    return "{:.3f} {:.3f} {:.3f} rg".format(*color)


def _references(numbers: list[int]) -> bytes:
    return b" ".join(b"%d 0 R" % number for number in numbers)

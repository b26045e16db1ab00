"""Sample documents: small files used as an applicant's documents in the sandbox."""

import io
from collections.abc import Sequence

from onboarding.choices import LlcFileType

PICTURES = {LlcFileType.GOVERNMENT_IDENTIFICATION, LlcFileType.PASSPORT}
NOTICE = "SPECIMEN - made by the sandbox, proves nothing"
PAGE, CARD = (420, 298), (428, 270)  # points of A6, pixels of an identity card
LINE = 20


def draw(kind: LlcFileType, *, marks: Sequence[str] = ()) -> tuple[bytes, str, str]:
    """Return a document of a kind: its content, MIME type and file name.

    Identity documents are PNG pictures, all others PDF files. The `marks` are printed on the
    document and distinguish it from others of its kind.
    """
    lines = [str(kind.label), NOTICE, *marks]
    name = kind.value.lower().replace("_", "-")
    if kind in PICTURES:
        return _draw_png(lines), "image/png", f"{name}.png"
    return _draw_pdf(lines), "application/pdf", f"{name}.pdf"


def _draw_pdf(lines: Sequence[str]) -> bytes:
    from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]  # has no types

    file = io.BytesIO()
    page = Canvas(file, pagesize=PAGE, invariant=True)
    for place, line in enumerate(lines, 1):
        page.drawString(2 * LINE, PAGE[1] - 2 * place * LINE, line)
    page.save()
    return file.getvalue()


def _draw_png(lines: Sequence[str]) -> bytes:
    from PIL import Image, ImageDraw

    card = Image.new("RGB", CARD, "lightblue")
    pen = ImageDraw.Draw(card)
    for place, line in enumerate(lines, 1):
        pen.text((LINE, place * LINE), line, fill="black")
    file = io.BytesIO()
    card.save(file, "PNG")
    return file.getvalue()

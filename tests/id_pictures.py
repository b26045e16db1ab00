"""Pictures of identity cards for tests: legible, blurred, dark, small, blank and damaged."""

import io
from functools import cache

from PIL import Image, ImageDraw, ImageFilter, ImageFont
from reportlab.pdfgen.canvas import Canvas

SIZE = (1000, 700)


@cache
def card(text="ADA BYRON", *, size=SIZE, blur=0, light=1.0, form="PNG", exif=b""):
    """Return a picture of a card."""
    picture = Image.new("RGB", SIZE, "lightblue")
    pen = ImageDraw.Draw(picture)
    for line in range(10):
        pen.text((60, 30 + 65 * line), f"{text} {line}", font=ImageFont.load_default(44), fill=0)
    picture = picture.filter(ImageFilter.GaussianBlur(blur)).resize(size)
    picture = picture.point(lambda value: int(value * light))
    file = io.BytesIO()
    options = {"exif": exif} if exif else {}
    picture.save(file, form, **options)
    return file.getvalue()


def surface(tint="white", size=SIZE):
    """Return a picture of nothing."""
    file = io.BytesIO()
    Image.new("RGB", size, tint).save(file, "PNG")
    return file.getvalue()


def pages(*texts):
    """Return a PDF file with a page for each text."""
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(240, 150), invariant=True)
    for text in texts:
        canvas.drawString(20, 100, text)
        canvas.showPage()
    canvas.save()
    return file.getvalue()

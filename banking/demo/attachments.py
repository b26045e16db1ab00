"""Attachments of demo bills: the supplier's bill as a PDF, and a picture of a delivery note."""

import base64
from collections.abc import Sequence
from io import BytesIO

from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.pagesizes import LETTER  # type: ignore[import-untyped]  # has no types
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]  # has no types

from banking.demo.dice import Dice
from banking.demo.lines import Lines
from banking.models import Bill, BillAttachment
from banking.money import usd_text
from foundation.files import PDF, Download

PNG = "image/png"
PAPER, INK = (252, 250, 244), (38, 44, 60)


def attach(lines: Lines, bills: Sequence[Bill], *, dice: Dice) -> None:
    """Add the lines of a PDF for each bill and a delivery note for the last one-time bill."""
    files = [(bill, supplier_bill(bill)) for bill in bills]
    delivered = [bill for bill in bills if not bill.is_recurring]
    files += [(bill, delivery_note(bill)) for bill in delivered[-1:]]
    for bill, file in files:
        attachment = BillAttachment(
            external_id=dice.uuid(bill.created_at),
            bill=bill,
            file_name=file.file_name,
            content_type=file.content_type,
            uploaded_at=bill.created_at,
        )
        content = base64.b64encode(file.content).decode()
        lines.add("bill-attachments", attachment, content=content)


def supplier_bill(bill: Bill) -> Download:
    """Return a PDF of the bill in the layout of its supplier."""
    target = BytesIO()
    canvas = Canvas(target, pagesize=LETTER, invariant=True, lang="en-US")
    canvas.setTitle(f"Bill {bill.number}")
    canvas.setAuthor(bill.supplier.name)
    canvas.setFont("Times-Bold", 20)
    canvas.drawString(72, 700, bill.supplier.name)
    canvas.setFont("Times-Roman", 11)
    for number, line in enumerate(bill.supplier.lines):
        canvas.drawString(72, 680 - 14 * number, line)
    canvas.line(72, 630, 540, 630)
    for number, line in enumerate(_lines(bill)):
        canvas.drawString(72, 604 - 20 * number, line)
    canvas.rect(396, 488, 144, 34)
    canvas.setFont("Times-Bold", 13)
    canvas.drawRightString(530, 500, usd_text(bill.amount_cents))
    canvas.showPage()
    canvas.save()
    return Download(PDF, f"bill-{bill.number}.pdf", target.getvalue())


def delivery_note(bill: Bill) -> Download:
    """Return a picture of the signed delivery note of a bill."""
    picture = Image.new("RGB", (620, 380), PAPER)
    pen = ImageDraw.Draw(picture)
    pen.rectangle((16, 16, 603, 363), outline=INK, width=2)
    for number, line in enumerate(["Delivery note", *_lines(bill)[:3], "Received in good order"]):
        pen.text((44, 40 + 44 * number), line, fill=INK, font=ImageFont.load_default(24))
    pen.line([(44, 330), (110, 300), (150, 334), (220, 296), (300, 326)], fill=INK, width=3)
    target = BytesIO()
    picture.save(target, "PNG", optimize=True)
    return Download(PNG, f"delivery-{bill.number}.png", target.getvalue())


def _lines(bill: Bill) -> list[str]:
    return [
        f"Bill {bill.number} of {bill.invoice_date:%B %d, %Y}",
        f"To {bill.business.legal_name}",
        bill.description,
        f"Due {bill.due_date:%B %d, %Y}",
        "Thank you for your business.",
    ]

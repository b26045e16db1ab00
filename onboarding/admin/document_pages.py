"""Document pages: PDF files as pictures, one page at a time."""

import base64

from foundation.pdf import reading
from foundation.pdf.child_processes import Unreadable

MOST_DIGITS = 6


def page_number(sent):
    """Return the number of a page as it was sent; 1 if it is none."""
    is_number = sent.isascii() and sent.isdigit() and len(sent) <= MOST_DIGITS
    return max(1, int(sent)) if is_number else 1


def draw(file, number):
    """Return a page of a PDF file for the template, or why it cannot be drawn; closes the file."""
    with file:
        content = file.read()
    try:
        page = reading.draw_page(content, number)
    except Unreadable as refused:
        return {"page": None, "is_slow": refused.is_slow}
    return {"page": page, "picture": base64.b64encode(page.png).decode()}

"""Document pages: PDF files as pictures, one page at a time."""

import base64

from foundation.pdf import reading
from foundation.pdf.child_processes import Unreadable

MOST_DIGITS = 6


def page_number(sent):
    """Return the page number that a text has; 1 if the text is no number of 1 to 999,999."""
    is_number = sent.isascii() and sent.isdigit() and len(sent) <= MOST_DIGITS
    return max(1, int(sent)) if is_number else 1


def draw(file, number):
    """Draw a page of an opened PDF file for the template; closes the file.

    Shape: `page`, with its PNG in base64 as `picture`; or `page` None, and in `is_slow` whether the
    page took too long, or else cannot be read.
    """
    with file:
        content = file.read()
    try:
        page = reading.draw_page(content, number)
    except Unreadable as refused:
        return {"page": None, "is_slow": refused.is_slow}
    return {"page": page, "picture": base64.b64encode(page.png).decode()}

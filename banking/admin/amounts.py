"""Format amounts for cells, facts and tables of a screen."""

from django.utils.html import format_html

from banking.money import usd_text
from foundation.backoffice import cells


def amount(cents):
    """Return cents as HTML with dollars, styled to line up in columns; an empty text for None."""
    if cents is None:
        return ""
    sign = " negative" if cents < 0 else ""
    return format_html('<span class="money{}">{}</span>', sign, usd_text(cents))


def amount_of(path, label=""):
    """Return an admin display that shows the cents to which `path` leads as dollars."""
    return cells.value_of(path, label, amount)

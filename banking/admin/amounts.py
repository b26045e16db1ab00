"""Format amounts for cells, facts and tables of a screen."""

from django.contrib import admin
from django.utils.html import format_html

from banking.money import usd_text


def amount(cents):
    """Return cents as dollars that line up below each other; nothing for None."""
    if cents is None:
        return ""
    sign = " negative" if cents < 0 else ""
    return format_html('<span class="money{}">{}</span>', sign, usd_text(cents))


def amount_of(name, label="", *, is_column=True):
    """Return a display of a field, or with `is_column=False` of a property, that holds cents."""

    @admin.display(
        description=label or name.removesuffix("_cents").replace("_", " "),
        ordering=name if is_column else None,
    )
    def show(_screen, row):
        return amount(getattr(row, name))

    return show

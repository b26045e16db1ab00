"""Format values for cells, facts and tables of a screen: timestamps, choices, numbers, texts."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.contrib import admin
from django.core.exceptions import ObjectDoesNotExist
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join

from foundation.backoffice.screens import badge, link_to, stack
from foundation.times import DAY_FORMAT, iso_time, show_clock, show_day, show_time


@dataclass(frozen=True)
class Column:
    """The label of a table column; `is_amount` aligns it with the numbers below it."""

    label: str
    is_amount: bool = False


@dataclass(frozen=True)
class Table:
    """Rows of cells under a title, with HTML beside the title in `more`.

    `nothing` is the text in place of rows if there are none.
    """

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]] = field(default_factory=list)
    nothing: str = "None."
    more: str = ""


def table_of(
    title: str, rows: Iterable[Any], cells: Mapping[str, Callable[[Any], Any]], **options: Any
) -> Table:
    """Return a table with a line for each of `rows`.

    `cells` has the function that returns a row's cell, by the label of the column. `options` are
    further fields of Table.
    """
    lines = [[cell(row) for cell in cells.values()] for row in rows]
    return Table(title, [Column(label) for label in cells], lines, **options)


def figure(number):
    """Return the HTML of a number whose digits line up with those of the rows below."""
    return format_html('<span class="money">{}</span>', number)


def timestamp(at):
    """Return the HTML of a time, its day above its clock, in the current zone; "" for None."""
    return "" if at is None else _time_element(iso_time(at), stack(show_day(at), show_clock(at)))


def minute(at):
    """Return the HTML of a time, day and clock on one line, in the current zone; "" for None."""
    return "" if at is None else _time_element(iso_time(at), show_time(at))


def day(on):
    """Return the HTML of a date, or of a datetime's day in the current zone; "" for None."""
    if isinstance(on, datetime):
        return _time_element(iso_time(on), show_day(on))
    return _time_element(on.isoformat(), date_format(on, DAY_FORMAT)) if on else ""


def _time_element(iso, shown):
    """Return a time element; CSV files of lists take its attribute instead of its text."""
    return format_html('<time class="moment" datetime="{}">{}</time>', iso, shown)


def lines(texts):
    """Return the HTML of texts, each on a line of its own."""
    return format_html_join("\n", '<span class="line">{}</span>', ((text,) for text in texts))


def pairs(named):
    """Return the HTML of pairs of a heading and the text below it."""
    return format_html_join(
        "", '<span class="pair"><strong>{}</strong><span>{}</span></span>', named
    )


def number(decimal):
    """Return a number as text, with commas and without zeros at the end of its fraction."""
    text = f"{decimal:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def percent(decimal):
    """Return a percentage as text: `12.5%` for the number 12.5."""
    return f"{number(decimal)}%"


def value_of(path, label, show):
    """Return a function for `list_display` or `readonly_fields` that shows a value of the row.

    `show` formats the value; nothing is shown for None or a missing row. `path` leads from the row
    to the value, for example `account.business`, and in a list ends at a column.
    """

    @admin.display(description=label or _words(path), ordering=path.replace(".", "__"))
    def display(_screen, row):
        value = _follow(row, path)
        return "" if value is None else show(value)

    return display


def text_of(path, label=""):
    """Return a function, as `value_of` does, that shows plain text; a URL becomes no link."""
    return value_of(path, label, str)


def timestamp_of(path, label=""):
    """Return a function, as `value_of` does, that shows the day and the time of a timestamp."""
    return value_of(path, label, timestamp)


def link_of(path, name, label=""):
    """Return a function, as `value_of` does, that links to the related row at `path`.

    The text of the link is the field `name` of the related row; lists sort by that field.
    """
    display = value_of(path, label, lambda row: link_to(row, getattr(row, name)))
    display.admin_order_field = f"{path}__{name}"
    return display


def stack_of(upper, lower, label):
    """Return a function for `list_display` that shows two values, one below the other.

    `upper` and `lower` are paths as in `value_of`; lists sort by the upper value.
    """

    @admin.display(description=label, ordering=upper.replace(".", "__"))
    def display(_screen, row):
        return stack(_follow(row, upper), _follow(row, lower))

    return display


def badge_of(name, label=""):
    """Return a function for `list_display` that shows a field with choices as a coloured badge."""

    @admin.display(description=label or _words(name), ordering=name)
    def display(_screen, row):
        value = getattr(row, name)
        return badge(value, getattr(row, f"get_{name}_display")()) if value else ""

    return display


def flag_of(name, label):
    """Return a function for `list_display` that shows a boolean field as Django's icon."""

    @admin.display(description=label, ordering=name, boolean=True)
    def display(_screen, row):
        return getattr(row, name)

    return display


def _follow(row, path):
    """Return the value at the end of a path; None where a row on it is missing."""
    for name in path.split("."):
        try:
            row = getattr(row, name)
        except ObjectDoesNotExist:
            return None
        if row is None:
            return None
    return row


def _words(path):
    return path.removesuffix("_at").removesuffix("_cents").replace("_", " ")

"""Format values for cells, facts and tables of a screen: timestamps, choices, numbers, texts."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.contrib import admin
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join

from foundation.backoffice.screens import badge, stack


@dataclass(frozen=True)
class Column:
    """The head of a column of a table."""

    label: str
    is_amount: bool = False


@dataclass(frozen=True)
class Table:
    """Rows of cells under a title; `more` stands beside the title."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]] = field(default_factory=list)
    nothing: str = "None."
    more: str = ""


def figure(number):
    """Return a number whose digits line up with those below it."""
    return format_html('<span class="money">{}</span>', number)


def timestamp(at):
    """Return the day and, below it, the time."""
    if at is None:
        return ""
    return format_html(
        '<span class="moment">{}</span>', stack(date_format(at, "M j, Y"), date_format(at, "H:i"))
    )


def day(date):
    """Return a day; nothing for None."""
    return (
        format_html('<span class="moment">{}</span>', date_format(date, "M j, Y")) if date else ""
    )


def lines(texts):
    """Return each text on a line of its own."""
    return format_html_join("\n", '<span class="line">{}</span>', ((text,) for text in texts))


def pairs(named):
    """Return pairs of a heading and the text below it."""
    return format_html_join(
        "", '<span class="pair"><strong>{}</strong><span>{}</span></span>', named
    )


def number(decimal):
    """Return a decimal number without zeros at its end."""
    text = f"{decimal:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def percent(decimal):
    """Return a percentage without zeros at its end."""
    return f"{number(decimal)}%"


def timestamp_of(name, label=""):
    """Return a display of a field that holds a timestamp."""

    @admin.display(description=label or _words(name), ordering=name)
    def show(_screen, row):
        return timestamp(getattr(row, name))

    return show


def badge_of(name, label=""):
    """Return a display of a field with choices."""

    @admin.display(description=label or _words(name), ordering=name)
    def show(_screen, row):
        value = getattr(row, name)
        return badge(value, getattr(row, f"get_{name}_display")()) if value else ""

    return show


def flag_of(name, label):
    """Return a display of a field that is true or false."""

    @admin.display(description=label, ordering=name, boolean=True)
    def show(_screen, row):
        return getattr(row, name)

    return show


def text_of(name, label=""):
    """Return a display of a field as plain text: an address elsewhere is no link."""

    @admin.display(description=label or _words(name), ordering=name)
    def show(_screen, row):
        return str(getattr(row, name))

    return show


def _words(name):
    return name.removesuffix("_at").replace("_", " ")

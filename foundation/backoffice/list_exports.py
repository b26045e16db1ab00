"""CSV files of lists: the filtered rows in their order, each cell as the list shows it."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from html import unescape
from itertools import islice
from typing import Any

from django.contrib import messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.templatetags.admin_list import items_for_result
from django.contrib.admin.utils import label_for_field
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.text import capfirst

from foundation.backoffice.downloads import serve_stream
from foundation.backoffice.lists import MAX_ROWS
from foundation.backoffice.replica_reads import read_rows
from foundation.files import CSV, Stream, stream_csv

CHUNK_ROWS = 500
PAGING = ("p", "all", "e")  # parameters of a page, which are not those of the rows
UNRECORDED = {"q", "found"}  # what was searched for may name a customer
IMAGE = re.compile(r'<img[^>]*alt="([^"]*)"[^>]*>')
TIME = re.compile(r'<time[^>]*datetime="([^"]*)"[^>]*>.*?</time>', re.DOTALL)
LINE = '<span class="line'
TAG = re.compile(r"<[^>]+>")

recorders: list[Callable[..., None]] = []  # called with each export, before its first row is sent


def export(screen, request):
    """Return a response with the rows of a list as CSV, and record who exported them.

    The rows are those that the filters in the query string choose, MAX_ROWS at most. Raises:
    BadRequest for a value that a filter cannot read.
    """
    request.GET = request.GET.copy()
    for name in PAGING:
        request.GET.pop(name, None)
    try:
        shown = screen.get_changelist_instance(request)
    except IncorrectLookupParameters:
        messages.error(request, "This filter is not valid.")
        return redirect(f"admin:{screen.opts.app_label}_{screen.opts.model_name}_changelist")
    _record(request, str(screen.opts.verbose_name_plural), min(shown.result_count, MAX_ROWS))
    places = dict(_columns(shown))
    rows = read_rows(request, partial(_rows, shown, places))
    chunks = stream_csv(list(places.values()), rows)
    return _serve(request, screen.opts.model_name, chunks)


def export_table(request, table, *, name):
    """Return a response with a `Table` as the file `<name>-<date>.csv`; record who exported it."""
    _record(request, table.title, len(table.rows))
    rows = ([plain_text(cell) for cell in row] for row in table.rows)
    chunks = stream_csv([column.label for column in table.columns], rows)
    return _serve(request, name, chunks)


def _record(request, label, rows):
    filters = {name: ", ".join(values) for name, values in request.GET.lists()}
    filters |= dict.fromkeys(UNRECORDED & filters.keys(), "not recorded")
    for record in recorders:
        record(label=label, filters=filters, rows=rows, by=request.user, at=timezone.now())


def _serve(request, name, chunks):
    now = timezone.now()
    file = Stream(CSV, f"{name}-{now:%Y-%m-%d}.csv", chunks)
    return serve_stream(request, file, document=f"the list {name}")


def plain_text(html: Any) -> str:
    """Return the text of a cell, its lines joined by semicolons; times are ISO 8601 in UTC."""
    text = TIME.sub(r"\1", IMAGE.sub(r"\1", str(html))).replace(LINE, f"; {LINE}")
    return " ".join(unescape(TAG.sub(" ", text)).split()).strip("; ").replace(" ; ", "; ")


def _columns(shown) -> Iterator[tuple[int, str]]:
    """Yield the index in `list_display` and the label of each column that has a label."""
    for place, name in enumerate(shown.list_display):
        label = str(label_for_field(name, shown.model, model_admin=shown.model_admin))
        if name != "action_checkbox" and label:
            yield place, capfirst(label)


def _rows(shown, places) -> Iterator[list[str]]:
    rows = shown.queryset[:MAX_ROWS].iterator(chunk_size=CHUNK_ROWS)
    while batch := list(islice(rows, CHUNK_ROWS)):
        for row in shown.complete(batch):
            cells = list(items_for_result(shown, row, None))
            yield [plain_text(cells[place]) for place in places]

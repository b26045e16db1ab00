"""Rows of the access log that left the table, from the files of its archives.

A file has a line per row, a JSON list: the id, the columns that anchors fix, then later ones.
"""

import gzip
import heapq
import json
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any

from foundation.privacy.encrypted_files import UnreadableFile
from mcp_server.models import AccessLogArchive

Row = tuple[Any, ...]


def iterate_rows(after: int, until: int, *, width: int) -> Iterator[Row]:
    """Yield the first `width` values of the archived rows with ids above `after`, up to `until`.

    The rows are in the order of their ids.

    A file is opened when its first row is due: the ids of two months overlap by a few at most.
    Rows of a missing or changed file are left out, so that the proof against anchors finds a fault.
    """
    waiting = deque(
        AccessLogArchive.objects.filter(last_id__gt=after, first_id__lte=until)
        .order_by("first_id", "pk")
        .iterator()
    )
    opened: list[tuple[int, int, Row, Iterator[Row]]] = []  # by the id of their next row
    while waiting or opened:
        while waiting and (not opened or waiting[0].first_id < opened[0][0]):
            archive = waiting.popleft()
            found = _read(archive.pk, archive.sha256)
            start, end = (bisect_right(found, limit, key=itemgetter(0)) for limit in (after, until))
            _put(opened, archive.pk, iter(found[start:end]))
        if opened:
            _, key, row, rows = heapq.heappop(opened)
            yield row[:width]
            _put(opened, key, rows)


def _put(opened: list[tuple[int, int, Row, Iterator[Row]]], key: int, rows: Iterator[Row]) -> None:
    row = next(rows, None)
    if row is not None:
        heapq.heappush(opened, (row[0], key, row, rows))


@lru_cache(maxsize=2)  # the records of an anchor ask for a thousand rows at a time
def _read(key: int, _sha256: str) -> Sequence[Row]:
    try:
        with AccessLogArchive.objects.get(pk=key).open_file() as opened, gzip.open(opened) as lines:
            return [tuple(json.loads(line)) for line in lines]
    except (FileNotFoundError, UnreadableFile, OSError, ValueError):
        return ()

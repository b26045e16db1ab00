"""Rows of the access log, read from the files of its archives."""

import gzip
import json

import pytest

from banking.models.stored_files import store
from foundation.files import Download
from mcp_server.models import AccessLogArchive
from mcp_server.queries.archived_access_log import iterate_rows
from tests.factories import NOON

pytestmark = pytest.mark.django_db


def archive(*ids):
    lines = "".join(json.dumps([key, f"call {key}", "later"]) + "\n" for key in ids)
    content = gzip.compress(lines.encode())
    return AccessLogArchive.objects.create(
        **store(Download("application/gzip", "calls.jsonl.gz", content)),
        partition="a_month",
        first_id=ids[0],
        last_id=ids[-1],
        row_count=len(ids),
        archived_at=NOON,
    )


def test_rows_of_months_that_overlap_come_in_the_order_of_their_ids():
    archive(1, 2, 4)
    archive(3, 5, 7)
    archive(20, 21)

    assert [row[0] for row in iterate_rows(1, 20, width=2)] == [2, 3, 4, 5, 7, 20]


def test_a_row_has_as_many_values_as_are_asked_for():
    archive(1)

    assert list(iterate_rows(0, 1, width=2)) == [(1, "call 1")]


def test_a_file_that_was_changed_has_no_rows():
    changed = archive(1, 2)
    AccessLogArchive.objects.filter(pk=changed.pk).update(sha256="0" * 64)

    assert list(iterate_rows(0, 9, width=2)) == []

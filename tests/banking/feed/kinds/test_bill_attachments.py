"""Files of bills in the feed."""

import base64

import orjson
import pytest

from banking.feed import reading
from banking.feed.registry import KINDS
from banking.models import BillAttachment
from tests.banking.feed.test_batches import results

CONTENT = b"%PDF-1.7 of a supplier"
FILE = {
    "bill": "L-1",
    "fileName": "bill-1001.pdf",
    "contentType": "application/pdf",
    "content": base64.b64encode(CONTENT).decode(),
    "uploadedAt": "2026-02-01T10:00:00Z",
}


def test_a_file_is_stored_and_named_by_its_hash(feed, line, supplies):
    assert results(feed(line("bill-attachments", "F-1", **FILE))) == ["created"]

    row = BillAttachment.objects.get()
    assert row.read().content == CONTENT
    data = orjson.loads(reading.find_record(KINDS["bill-attachments"], "F-1").data)
    assert (data["sha256"], data["sizeBytes"]) == (row.sha256, len(CONTENT))
    assert "content" not in data


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"content": "%%%"}, "content"),
        ({"content": ""}, "content"),
        ({"contentType": "image/png"}, "content"),
        ({"contentType": "text/html"}, "contentType"),
        ({"fileName": "../../etc/passwd"}, "fileName"),
    ],
)
def test_other_files_are_refused(line, refusals, supplies, changed, field):
    assert refusals(line("bill-attachments", "F-1", **FILE | changed)) == [
        ("VALUE_REFUSED", f"/data/{field}")
    ]


def test_a_file_is_removed_from_its_bill(feed, line, supplies):
    feed(line("bill-attachments", "F-1", **FILE))

    gone = {"kind": "bill-attachments", "externalId": "F-1", "version": 2, "removed": True}

    assert results(feed(gone)) == ["removed"]
    assert not BillAttachment.objects.exists()

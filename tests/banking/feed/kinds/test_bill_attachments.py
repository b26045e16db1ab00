"""Files of bills in the feed."""

import base64

import orjson
import pytest

from banking.feed import reading
from banking.feed.registry import KINDS
from banking.models import BillAttachment
from banking.models.stored_files import file_storage
from tests.banking.feed.test_batches import results
from tests.factories import make_bill_attachment
from tests.pdf_files import make_pdf

CONTENT = b"%PDF-1.7 of a supplier"
FILE = {
    "bill": "L-1",
    "fileName": "bill-1001.pdf",
    "contentType": "application/pdf",
    "content": base64.b64encode(CONTENT).decode(),
    "uploadedAt": "2026-02-01T10:00:00Z",
}
SCRIPT = make_pdf(b"<< /S /JavaScript /JS (evil) >>")
REMOVED = {"kind": "bill-attachments", "externalId": "F-1", "version": 9, "removed": True}


def encoded(content):
    return {"content": base64.b64encode(content).decode()}


def test_a_file_is_stored_and_named_by_its_hash(feed, line, supplies):
    assert results(feed(line("bill-attachments", "F-1", **FILE))) == ["created"]

    row = BillAttachment.objects.get()
    assert row.read().content == CONTENT
    data = orjson.loads(reading.find_record(KINDS["bill-attachments"], "F-1").data)
    assert (data["sha256"], data["sizeBytes"]) == (row.sha256, len(CONTENT))
    assert data["scan"] == "NOT_SCANNED"
    assert "content" not in data


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"content": "%%%"}, "content"),
        ({"content": ""}, "content"),
        ({"contentType": "image/png"}, "content"),
        ({"contentType": "text/html"}, "contentType"),
        ({"fileName": "../../etc/passwd"}, "fileName"),
        ({"fileName": "bill.png"}, "content"),
        ({"fileName": "bill.exe"}, "content"),
        (encoded(SCRIPT), "content"),
    ],
)
def test_other_files_are_refused(line, refusals, supplies, changed, field):
    assert refusals(line("bill-attachments", "F-1", **FILE | changed)) == [
        ("VALUE_REFUSED", f"/data/{field}")
    ]


def test_a_file_has_the_limit_of_a_document(line, refusals, supplies, settings):
    settings.DOCUMENT_MAX_BYTES = len(CONTENT) - 1

    assert refusals(line("bill-attachments", "F-1", **FILE)) == [("VALUE_REFUSED", "/data/content")]


def test_a_refusal_says_what_was_found_in_the_file(feed, line, supplies):
    (outcome,) = feed(line("bill-attachments", "F-1", **FILE | encoded(SCRIPT)))

    assert [error["message"] for error in outcome["errors"]] == ["The PDF contains scripts."]
    assert not BillAttachment.objects.exists()


@pytest.fixture
def store(own_store, feed, line, supplies, django_capture_on_commit_callbacks):
    """Return a function that feeds lines, and returns whether the first file is in the store."""
    feed(line("bill-attachments", "F-1", **FILE))
    name = BillAttachment.objects.get().file.name

    def take(*lines):
        with django_capture_on_commit_callbacks(execute=True):
            outcomes = feed(*lines)
        return results(outcomes), file_storage().exists(name)

    return take


def test_a_removed_file_is_deleted_after_the_commit(store, feed):
    assert store(REMOVED) == (["removed"], False)
    assert not BillAttachment.objects.exists()


def test_a_replaced_file_is_deleted_after_the_commit(store, line):
    other = line("bill-attachments", "F-1", 2, **FILE | encoded(CONTENT + b"!"))

    assert store(other) == (["updated"], False)
    assert BillAttachment.objects.get().read().content == CONTENT + b"!"


def test_a_file_under_another_name_stays_readable(store, line):
    renamed = line("bill-attachments", "F-1", 2, **FILE | {"fileName": "other.pdf"})

    assert store(renamed) == (["updated"], False)
    assert BillAttachment.objects.get().read().content == CONTENT


def test_a_refused_line_deletes_no_file(store, line):
    elsewhere = line("bill-attachments", "F-1", 2, **FILE | {"bill": "L-9"})
    scripted = line("bill-attachments", "F-1", 3, **FILE | encoded(SCRIPT))

    assert store(elsewhere, scripted) == (["refused"] * 2, True)


def test_two_records_with_the_same_content_have_a_file_each(store, line):
    assert store(line("bill-attachments", "F-2", **FILE), REMOVED)[1] is False
    assert BillAttachment.objects.get().read().content == CONTENT


def test_a_file_of_before_that_two_rows_have_is_deleted_with_the_last(
    own_store, feed, line, supplies, django_capture_on_commit_callbacks
):
    first = make_bill_attachment()
    second = make_bill_attachment(first.bill, file=first.file.name)
    exist = []

    for row in [first, second]:
        with django_capture_on_commit_callbacks(execute=True):
            feed(REMOVED | {"externalId": str(row.external_id)})
        exist.append(file_storage().exists(first.file.name))

    assert exist == [True, False]

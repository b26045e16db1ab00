"""Receipts of the feed."""

import base64

import orjson
import pytest

from banking.feed import reading
from banking.feed.registry import KINDS
from banking.models import Receipt, ReceiptFile, ReceiptLine
from banking.models.stored_files import file_storage
from banking.services.receipts import get_paper
from tests.banking.feed.test_batches import results
from tests.factories import PNG

RECEIPT = {
    "transaction": "T-1",
    "number": "0017",
    "issuedAt": "2026-02-10T15:00:00Z",
    "taxCents": 50,
    "tipCents": 0,
    "lines": [
        {"name": "Flour", "quantity": 2, "unitPriceCents": 500},
        {"name": "Salt", "quantity": 1, "unitPriceCents": 200},
    ],
}
FILE = {
    "fileName": "receipt.png",
    "contentType": "image/png",
    "content": base64.b64encode(PNG).decode(),
}
WITHOUT_LINES = {name: value for name, value in RECEIPT.items() if name != "lines"}


def test_a_receipt_is_read_back_and_makes_a_paper(feed, line, spent):
    assert results(feed(line("receipts", "1", **RECEIPT))) == ["created"]

    assert orjson.loads(reading.find_record(KINDS["receipts"], "1").data) == RECEIPT | {
        "issuedAt": "2026-02-10T15:00:00+00:00",
        "file": None,
    }
    assert get_paper(Receipt.objects.get()).content.startswith(b"%PDF-")


def test_lines_tax_and_tip_add_up(line, refusals, spent):
    assert refusals(line("receipts", "1", **RECEIPT | {"tipCents": 1})) == [
        ("VALUE_REFUSED", "/data/lines")
    ]
    assert not Receipt.objects.exists()


def test_a_transaction_has_one_receipt(feed, line, refusals, spent):
    feed(line("receipts", "1", **RECEIPT))

    assert refusals(line("receipts", "2", **RECEIPT)) == [("ID_KNOWN", "/externalId")]
    assert ReceiptLine.objects.count() == 2


def test_a_receipt_is_removed_with_its_lines(feed, line, spent):
    feed(line("receipts", "1", **RECEIPT))

    gone = {"kind": "receipts", "externalId": "1", "version": 2, "removed": True}

    assert results(feed(gone)) == ["removed"]
    assert not ReceiptLine.objects.exists()


def test_faults_of_entries_name_their_place(line, refusals, spent):
    lines = [RECEIPT["lines"][0], {"name": "Salt", "unitPriceCents": -1}]

    assert refusals(line("receipts", "1", **RECEIPT | {"lines": lines})) == [
        ("VALUE_REFUSED", "/data/lines/1/unitPriceCents")
    ]


def test_a_kind_without_an_id_of_its_own_takes_none(line, refusals, spent):
    named = line("receipts", "1", **RECEIPT) | {"id": "0190b5a0-0000-7000-8000-000000000001"}

    assert refusals(named) == [("VALUE_REFUSED", "/id")]


@pytest.mark.parametrize("data", [RECEIPT, WITHOUT_LINES])
def test_a_receipt_may_come_with_a_file(feed, line, spent, data):
    assert results(feed(line("receipts", "1", **data, file=FILE))) == ["created"]

    paper = get_paper(Receipt.objects.get())
    assert (paper.content_type, paper.file_name, paper.content) == ("image/png", "receipt.png", PNG)
    kept = ReceiptFile.objects.get()
    assert orjson.loads(reading.find_record(KINDS["receipts"], "1").data)["file"] == {
        "fileName": "receipt.png",
        "contentType": "image/png",
        "sha256": kept.sha256,
        "sizeBytes": len(PNG),
        "scan": "NOT_SCANNED",
    }
    assert results(feed(line("receipts", "1", **data, file=FILE))) == ["unchanged"]


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"lines": []}, "lines"),
        ({"lines": [], "file": FILE, "taxCents": 1251}, "taxCents"),
        ({"file": FILE, "tipCents": 1}, "lines"),
        ({"file": FILE | {"contentType": "image/jpeg"}}, "file/content"),
        ({"file": FILE | {"content": "%"}}, "file/content"),
        ({"file": FILE | {"fileName": "a/b.png"}}, "file/fileName"),
    ],
)
def test_what_is_no_receipt_is_refused(line, refusals, spent, changed, field):
    assert refusals(line("receipts", "1", **RECEIPT | changed)) == [
        ("VALUE_REFUSED", f"/data/{field}")
    ]


@pytest.mark.parametrize(
    ("change", "files"),
    [
        ({"data": RECEIPT}, 0),
        ({"data": RECEIPT | {"file": FILE | {"fileName": "other.png"}}}, 1),
        ({"removed": True}, 0),
    ],
)
def test_a_file_that_a_receipt_no_longer_has_is_deleted_after_the_commit(
    own_store, feed, line, spent, django_capture_on_commit_callbacks, change, files
):
    feed(line("receipts", "1", **RECEIPT, file=FILE))
    name = ReceiptFile.objects.get().file.name

    with django_capture_on_commit_callbacks(execute=True):
        feed({"kind": "receipts", "externalId": "1", "version": 2, **change})

    assert not file_storage().exists(name)
    assert [file.read().content for file in ReceiptFile.objects.all()] == [PNG] * files

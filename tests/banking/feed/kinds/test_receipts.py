"""Receipts of the feed."""

import orjson

from banking.feed import reading
from banking.feed.registry import KINDS
from banking.models import Receipt, ReceiptLine
from banking.services.receipts import write_receipt
from tests.banking.feed.test_batches import results

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


def test_a_receipt_is_read_back_and_makes_a_paper(feed, line, spent):
    assert results(feed(line("receipts", "1", **RECEIPT))) == ["created"]

    assert orjson.loads(reading.find_record(KINDS["receipts"], "1").data) == RECEIPT | {
        "issuedAt": "2026-02-10T15:00:00+00:00"
    }
    assert write_receipt(Receipt.objects.get()).content.startswith(b"%PDF-")


def test_lines_tax_and_tip_add_up(line, refusals, spent):
    assert refusals(line("receipts", "1", **RECEIPT | {"tipCents": 1})) == [
        ("VALUE_REFUSED", "/data/lines")
    ]
    assert not Receipt.objects.exists()


def test_a_transaction_has_one_receipt(feed, line, refusals, spent):
    feed(line("receipts", "1", **RECEIPT))

    assert refusals(line("receipts", "2", **RECEIPT)) == [("CONFLICT", None)]
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

"""Suppliers of the feed, and how they are paid."""

import orjson

from banking.feed import reading
from banking.feed.registry import KINDS
from banking.models import Payee
from tests.banking.feed.test_batches import results

IBAN = "DE89370400440532013000"
WIRE = {
    "supplier": "S-1",
    "method": "WIRE_INTERNATIONAL",
    "payeeName": "Mill Co",
    "iban": IBAN,
    "swift": "COBADEFFXXX",
    "country": "DE",
}


def test_a_payee_is_kept_encrypted_and_read_back_masked(feed, line, supplies):
    assert results(feed(line("payees", "Y-1", **WIRE))) == ["created"]

    assert Payee.objects.get().iban == IBAN
    stored = reading.find_record(KINDS["payees"], "Y-1")
    assert IBAN.encode() not in stored.data
    assert orjson.loads(stored.data)["iban"].endswith(IBAN[-4:])


def test_no_answer_repeats_an_account_number(feed, line, supplies):
    bad = "DE00370400440532013000"

    (outcome,) = feed(line("payees", "Y-1", **WIRE | {"iban": bad, "routingNumber": "123"}))

    assert {error["field"] for error in outcome["errors"]} == {"/data/iban", "/data/routingNumber"}
    assert bad not in str(outcome)


def test_details_that_the_method_does_not_have_are_refused(line, refusals, supplies):
    sent = line("payees", "Y-1", **WIRE | {"method": "CHECK"})

    assert refusals(sent) == [("CONFLICT", None)]


def test_a_payee_keeps_its_supplier_and_its_method(feed, line, refusals, supplies):
    feed(
        line("payees", "Y-1", **WIRE),
        line("suppliers", "S-9", business="B-2", name="Co", createdAt="2026-01-05T10:00:00Z"),
    )

    assert refusals(line("payees", "Y-1", 2, **WIRE | {"supplier": "S-9"})) == [
        ("VALUE_REFUSED", "/data/supplier")
    ]
    assert results(feed(line("payees", "Y-1", 2, **WIRE | {"isActive": False}))) == ["updated"]
    assert not Payee.objects.get().is_active


def test_a_supplier_is_not_moved_to_another_business(line, refusals, supplies):
    moved = line(
        "suppliers", "S-1", 2, business="B-2", name="Mill Co", createdAt="2026-01-05T10:00:00Z"
    )

    assert refusals(moved) == [("VALUE_REFUSED", "/data/business")]


def test_a_supplier_with_bills_stays(refusals, supplies):
    gone = {"kind": "suppliers", "externalId": "S-1", "version": 2, "removed": True}

    assert refusals(gone) == [("NOT_REMOVABLE", None)]

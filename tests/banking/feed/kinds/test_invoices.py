"""Invoices of the feed: sums, payments and states."""

import orjson
import pytest

from banking.feed import reading
from banking.feed.registry import KINDS
from banking.models import Invoice
from tests.banking.feed.test_batches import results

INVOICE = {
    "business": "B-1",
    "number": "INV-1",
    "status": "SENT",
    "recipientName": "Pier Cafe",
    "recipientEmail": "pay@example.com",
    "issueDate": "2026-02-01",
    "dueDate": "2026-03-01",
    "payUrl": "https://bank.example.com/pay/1",
    "lines": [{"name": "Bread", "quantity": 1.5, "unitPriceCents": 1001}],
    "discounts": [{"name": "Regular", "discountType": "PERCENT", "value": 10}],
    "salesTaxPercent": 8.25,
    "createdAt": "2026-02-01T10:00:00Z",
}
TOTAL = 1464  # 1,502 less 150, and 8.25 percent of it
PAID = INVOICE | {"status": "PAID", "paidCents": TOTAL, "paidDate": "2026-02-11"}


@pytest.fixture
def paid(feed, line, books):
    """Posted payments of the total: T-1 to the first business, T-9 to the other."""
    data = {
        "transactionType": "FUND_TRANSFER",
        "status": "POSTED",
        "amountCents": TOTAL,
        "occurredAt": "2026-02-11T15:00:00Z",
    }
    outcomes = feed(
        line("transactions", "T-1", account="A-1", **data),
        line("transactions", "T-9", account="A-9", **data),
    )
    assert results(outcomes) == ["created"] * 2


def test_the_sums_follow_from_the_lines(feed, line, books):
    assert results(feed(line("invoices", "I-1", **INVOICE))) == ["created"]

    invoice = Invoice.objects.get()
    sums = (invoice.subtotal_cents, invoice.discount_cents, invoice.sales_tax_cents)
    assert (sums, invoice.total_cents) == ((1502, 150, 112), TOTAL)
    data = orjson.loads(reading.find_record(KINDS["invoices"], "I-1").data)
    assert (data["lines"], data["discounts"]) == (INVOICE["lines"], INVOICE["discounts"])
    assert "totalCents" not in data


def test_lines_are_replaced_and_sums_with_them(feed, line, books):
    feed(line("invoices", "I-1", **INVOICE))

    plain = {"lines": [{"name": "Rye", "unitPriceCents": 700}], "discounts": []}
    feed(line("invoices", "I-1", 2, **INVOICE | plain | {"salesTaxPercent": 0}))

    invoice = Invoice.objects.get()
    assert (invoice.total_cents, invoice.lines.get().name) == (700, "Rye")
    assert not invoice.discounts.exists()


def test_a_transaction_pays_an_invoice(feed, line, paid):
    assert results(feed(line("invoices", "I-1", **PAID, payment="T-1"))) == ["created"]

    assert Invoice.objects.get().payment.amount_cents == TOTAL


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"payment": "T-9"}, "payment"),
        ({"paidCents": TOTAL - 1}, "paidCents"),
        ({"paidCents": TOTAL + 1}, "paidCents"),
        ({"paidDate": None}, "paidDate"),
        ({"status": "SENT", "paidDate": None}, "paidCents"),
        ({"status": "OVERDUE"}, "status"),
        ({"dueDate": "2026-01-01"}, "dueDate"),
        ({"recipientEmail": "nobody"}, "recipientEmail"),
        ({"lines": []}, "lines"),
    ],
)
def test_data_that_contradict_each_other_are_refused(line, refusals, paid, changed, field):
    assert refusals(line("invoices", "I-1", **PAID | changed)) == [
        ("VALUE_REFUSED", f"/data/{field}")
    ]


def test_discounts_leave_something_to_pay(line, refusals, books):
    large = {"name": "All of it", "discountType": "AMOUNT", "value": 15.03}

    assert refusals(line("invoices", "I-1", **INVOICE | {"discounts": [large]})) == [
        ("VALUE_REFUSED", "/data/discounts")
    ]


def test_a_payment_counts_once(feed, line, refusals, paid):
    feed(line("invoices", "I-1", **PAID, payment="T-1"))

    other = line("invoices", "I-2", **PAID | {"number": "INV-2", "payment": "T-1"})

    assert refusals(other) == [("CONFLICT", None)]


def test_only_a_draft_is_removed(feed, line, refusals, books):
    feed(line("invoices", "I-1", **INVOICE))
    feed(line("invoices", "I-2", **INVOICE | {"number": "INV-2", "status": "DRAFT"}))
    gone = {"kind": "invoices", "version": 2, "removed": True}

    assert refusals(gone | {"externalId": "I-1"}) == [("NOT_REMOVABLE", None)]
    assert results(feed(gone | {"externalId": "I-2"})) == ["removed"]
    assert [invoice.number for invoice in Invoice.objects.all()] == ["INV-1"]

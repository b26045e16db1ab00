from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from banking.pdf.receipts import ReceiptLine, render_receipt
from banking.pdf.totals import Disagreement
from tests.banking.pdf.reading import ReadDocument
from tests.banking.pdf.samples import HOSTILE, make_receipt


def test_a_receipt_shows_the_purchase_and_the_card():
    at = datetime(2026, 5, 9, 14, 32, tzinfo=ZoneInfo("America/Los_Angeles"))

    document = ReadDocument(render_receipt(make_receipt(purchased_at=at)))

    texts = [node.text for node in document.structure.children]
    assert "Copper Street Hardware 88 Copper Street Portland, OR 97209" in texts
    assert {"Date May 9, 2026", "Time 14:32 PDT", "Card •••• 4821, Ana Diaz"} <= set(texts)
    assert document.rows() == [
        ["Item", "Quantity", "Amount"],
        ["Cordless drill", "1", "$129.00"],
        ["Oak board", "6", "$83.40"],
        ["Tax", "", "$16.99"],
        ["Tip", "", "$0.00"],
        ["Total", "$229.39"],
    ]


def test_a_receipt_without_lines_has_one_for_the_whole_purchase():
    receipt = make_receipt(lines=(), tax_cents=100, tip_cents=200, total_cents=1_300)

    document = ReadDocument(render_receipt(receipt))

    assert document.rows()[1] == ["Purchase", "1", "$10.00"]


def test_a_total_that_is_not_that_of_the_lines_is_refused():
    with pytest.raises(Disagreement):
        render_receipt(make_receipt(tip_cents=1))


def test_a_long_receipt_goes_on_over_pages():
    lines = tuple(ReceiptLine(f"Item {number}", 1, 100) for number in range(120))

    document = ReadDocument(
        render_receipt(make_receipt(lines=lines, tax_cents=0, total_cents=12_000))
    )

    assert len(document.pages) == 4
    assert document.rows()[-1] == ["Total", "$120.00"]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_breaks_a_receipt(text):
    receipt = make_receipt(
        merchant_name=text,
        merchant_address_lines=(text,) * 9,
        cardholder_name=text,
        category=text,
        lines=(ReceiptLine(text, 1, 21_240),),
    )

    assert ReadDocument(render_receipt(receipt)).rows()[-1] == ["Total", "$229.39"]


def test_a_title_disguises_nothing():
    receipt = make_receipt(merchant_name="\u202eevil\x00")

    assert ReadDocument(render_receipt(receipt)).title == "Receipt, □evil□, May 9, 2026"

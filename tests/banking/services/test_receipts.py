"""A receipt is kept when it adds up to what the purchase took, and is a paper on demand."""

import pytest

from banking.models import Receipt
from banking.queries.receipts import get_receipt
from banking.services import receipts
from banking.services.receipts import Line
from tests.factories import NOON

LINES = [Line("Flour", 1_250, 3), Line("Salt", 199)]


@pytest.fixture
def purchase(make_transaction):
    return make_transaction(amount_cents=-4_500)


def attach(row, lines=LINES, **values):
    values = {"tax_cents": 351, "tip_cents": 200, **values}
    return receipts.attach_receipt(row, lines, number="R-1", issued_at=NOON, **values)


def test_a_receipt_that_adds_up_is_kept_with_its_lines(purchase):
    receipt = attach(purchase)

    receipt.refresh_from_db()
    assert (receipt.transaction, receipt.number, receipt.issued_at) == (purchase, "R-1", NOON)
    lines = receipt.lines.order_by("position")
    assert [(line.name, line.amount_cents) for line in lines] == [("Flour", 3_750), ("Salt", 199)]


@pytest.mark.parametrize(
    ("lines", "values"),
    [
        (LINES, {"tip_cents": 0}),
        (LINES, {"tax_cents": 352}),
        (LINES[:1], {}),
        ([], {"tax_cents": 4_500, "tip_cents": 0}),
    ],
)
def test_a_receipt_that_does_not_add_up_is_refused(purchase, lines, values):
    with pytest.raises(receipts.SumsDiffer):
        attach(purchase, lines, **values)

    assert not Receipt.objects.exists()


def test_money_that_came_in_has_no_receipt(make_transaction):
    with pytest.raises(receipts.SumsDiffer):
        attach(make_transaction(amount_cents=4_500))


def test_a_second_receipt_is_refused(purchase):
    attach(purchase)

    with pytest.raises(receipts.ReceiptExists):
        attach(purchase)

    assert Receipt.objects.get().lines.count() == 2


def test_of_eight_at_once_one_is_kept(make_transaction, in_threads):
    purchase = make_transaction(amount_cents=-4_500)

    outcomes = in_threads(lambda _: attach(purchase), range(8))

    assert [type(outcome) for outcome in outcomes].count(receipts.ReceiptExists) == 7
    assert Receipt.objects.get().lines.count() == 2


def test_a_receipt_is_a_pdf_with_the_same_bytes_each_time(purchase, django_assert_num_queries):
    attach(purchase)
    receipt = get_receipt(purchase.business, purchase.external_id)

    with django_assert_num_queries(0):
        first, second = (receipts.write_receipt(receipt) for _ in range(2))

    assert first.content.startswith(b"%PDF-")
    assert first.file_name == "receipt-R-1.pdf"
    assert first == second

import pytest

from banking.choices import TransactionType
from banking.models import Receipt, ReceiptFile, ReceiptLine
from banking.queries import receipts
from tests.factories import NOON, make_receipt_file


@pytest.fixture
def receipt(make_transaction):
    row = make_transaction(
        amount_cents=-1_930,
        transaction_type=TransactionType.PURCHASE,
        category_id="MEALS",
        merchant_raw_name="Tin Spoon Cafe",
    )
    receipt = Receipt.objects.create(
        transaction=row, number="R-1001", issued_at=NOON, tax_cents=130, tip_cents=300
    )
    for position, (name, quantity, price) in enumerate([("Soup", 2, 500), ("Tea", 1, 500)]):
        ReceiptLine.objects.create(
            receipt=receipt,
            position=position,
            name=name,
            quantity=quantity,
            unit_price_cents=price,
        )
    return receipt


def test_a_receipt_comes_with_all_that_belongs_to_it(receipt, django_assert_num_queries):
    row, business = receipt.transaction, receipt.transaction.business

    with django_assert_num_queries(2):
        found = receipts.get_receipt(business, row.external_id)
        lines = [line.name for line in found.lines.all()]

    assert (found.number, lines) == ("R-1001", ["Soup", "Tea"])


def test_a_receipt_of_another_business_is_not_there(receipt, make_business):
    with pytest.raises(Receipt.DoesNotExist):
        receipts.get_receipt(make_business(), receipt.transaction.external_id)


def test_a_transaction_without_a_receipt_has_none(make_transaction):
    row = make_transaction()

    with pytest.raises(Receipt.DoesNotExist):
        receipts.get_receipt(row.business, row.external_id)


def test_an_id_that_is_none_is_not_found(make_business):
    with pytest.raises(Receipt.DoesNotExist):
        receipts.get_receipt(make_business(), "nothing")


def test_transactions_with_a_receipt_are_found_among_others(receipt, make_transaction):
    row, other = receipt.transaction, make_transaction()
    ids = [row.external_id, other.external_id]

    assert receipts.find_with_receipts(row.business, ids) == {row.external_id}
    assert receipts.find_with_receipts(row.business, [other.external_id]) == set()
    assert receipts.find_with_receipts(other.business, ids) == set()


def test_a_receipt_whose_file_may_not_be_opened_counts_as_none(receipt):
    row, file = receipt.transaction, make_receipt_file(receipt)

    def find():
        return receipts.find_with_receipts(row.business, [row.external_id])

    assert find() == {row.external_id}
    for closed in [{"awaits_scan_since": NOON}, {"awaits_scan_since": None, "malware": "Eicar"}]:
        ReceiptFile.objects.filter(pk=file.pk).update(**closed)
        assert find() == set()

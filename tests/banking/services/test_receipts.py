"""The paper of a receipt without a file."""

import pytest

from banking.queries.receipts import get_receipt
from banking.services import receipts
from tests.factories import make_receipt

pytestmark = pytest.mark.django_db


def test_a_receipt_is_a_pdf_with_the_same_bytes_each_time(
    make_transaction, django_assert_num_queries
):
    purchase = make_transaction(amount_cents=-4_500)
    make_receipt(purchase, number="R-1")
    receipt = get_receipt(purchase.business, purchase.external_id)

    with django_assert_num_queries(0):
        first, second = (receipts.write_receipt(receipt) for _ in range(2))

    assert first.content.startswith(b"%PDF-")
    assert first.file_name == "receipt-R-1.pdf"
    assert first == second

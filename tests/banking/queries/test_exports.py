from datetime import date

from banking.models import Merchant
from banking.queries.exports import list_exported
from banking.queries.filters import TransactionFilter
from tests.factories import later

MARCH = TransactionFilter(start_date=date(2026, 3, 1), end_date=date(2026, 3, 31))


def test_an_export_is_one_statement(make_account, make_transaction, django_assert_num_queries):
    account = make_account(account_number="200000000006")
    make_transaction(account, merchant_raw_name="RAW")
    make_transaction(
        account,
        at=later(hours=1),
        category_id="MEALS",
        merchant=Merchant.objects.create(name="Corner Bakery"),
        merchant_raw_name="RAW",
    )

    with django_assert_num_queries(1):
        newest, oldest = list_exported(account.business, MARCH)

    assert newest.account__account_number == "200000000006"
    assert newest.category__display_name == "Meals"
    assert (newest.merchant_label, oldest.merchant_label) == ("Corner Bakery", "RAW")

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from banking.admin import transactions
from banking.models import Merchant
from foundation.backoffice import lists
from tests import factories
from tests.factories import later

LIST = "/admin/banking/transaction/"


def listed(client, **query):
    """Return the keys of the transactions that a list shows."""
    page = client.get(LIST, query).content.decode()
    return [int(pk) for pk in re.findall(rf'<th[^>]*><a href="{LIST}(\d+)/change/', page)]


@pytest.fixture
def account(make_account):
    return make_account()


@pytest.fixture
def few(monkeypatch):
    """Let lists read three rows at most."""
    for module in (lists, transactions):
        monkeypatch.setattr(module, "MAX_ROWS", 3)


@pytest.fixture
def rows(account, make_transaction):
    """Six transactions, one a day."""
    return [
        make_transaction(account, 100 + day, at=later(days=day), description=f"Day {day}")
        for day in range(6)
    ]


def keys(rows):
    return [row.pk for row in rows]


def test_the_list_is_the_newest_first(rows, chief):
    assert listed(chief) == keys(reversed(rows))


def test_without_a_business_the_list_has_the_newest_of_the_bank(few, rows, chief):
    assert listed(chief) == keys(reversed(rows[3:]))


def test_with_a_business_the_list_says_where_it_ends(few, rows, account, chief, make_transaction):
    make_transaction()

    page = chief.get(LIST, {"business": account.business_id}).content.decode()

    assert "The first 3 transactions" in page


@pytest.mark.parametrize("spelling", [str, lambda uuid: uuid.hex, lambda uuid: f" {uuid} ".upper()])
def test_any_transaction_is_found_by_its_id(few, rows, chief, spelling):
    assert listed(chief, q=spelling(rows[0].external_id)) == [rows[0].pk]
    assert listed(chief, q=spelling(rows[1].posting_id)) == [rows[1].pk]


def test_words_are_not_searched_in_the_whole_bank(rows, chief):
    page = chief.get(LIST, {"q": "Day"}).content.decode()

    assert "To search for words, open a business or an account" in page
    assert listed(chief, q="Day") == []


def test_words_are_searched_within_a_business_or_an_account(rows, account, chief, make_transaction):
    shop = Merchant.objects.create(name="Corner shop")
    other = factories.make_account(account.business, account_type="TAX_BUCKET")
    bought = make_transaction(account, -5, at=later(days=9), merchant=shop, note="Flour")
    elsewhere = make_transaction(other, -5, merchant=shop)
    make_transaction(amount_cents=-5, merchant=shop)

    assert listed(chief, business=account.business_id, q="corner") == [bought.pk, elsewhere.pk]
    assert listed(chief, account=account.pk, q="CORNER") == [bought.pk]
    assert listed(chief, account=account.pk, q="flour") == [bought.pk]
    assert listed(chief, account=account.pk, q="day 4") == [rows[4].pk]


def test_a_search_for_words_reads_the_newest_and_says_so(few, rows, account, chief):
    query = {"business": account.business_id, "q": "Day"}

    assert listed(chief, **query) == keys(reversed(rows[3:]))
    assert "To search older ones, choose a period." in chief.get(LIST, query).content.decode()


def test_the_list_is_filtered_by_period_type_status_and_use(rows, account, chief, make_transaction):
    fee = make_transaction(
        account, -5, transaction_type="FEE", is_business=False, at=later(days=-800)
    )
    held = make_transaction(account, -5, pending=True, at=later(days=9))

    assert listed(chief, transaction_type__exact="FEE") == [fee.pk]
    assert listed(chief, is_business__exact="0") == [fee.pk]
    assert listed(chief, status__exact="PENDING") == [held.pk]
    assert listed(chief, period="2026") == keys([held, *reversed(rows)])
    assert listed(chief, period="nonsense") == keys([held, *reversed(rows), fee])


def test_no_statement_counts_or_sorts_more_than_it_may(rows, account, chief):
    query = {"business": account.business_id, "q": "Day"}
    for path in ({}, {"business": account.business_id}, query):
        with CaptureQueriesContext(
            connection,
        ) as taken:
            chief.get(LIST, path)

        counts = [row["sql"] for row in taken if "COUNT(" in row["sql"]]
        assert counts
        assert all(" LIMIT " in count or '"id" > ' in count for count in counts)


def test_the_page_has_all_that_is_known(business, chief):
    row = business.transactions.get(transaction_type="PURCHASE", status="POSTED")
    row.merchant = Merchant.objects.create(name="Mill & Sons", mcc="5149")
    row.original_amount_cents, row.original_currency = 1_234_56, "EUR"
    row.note = "For the <oven>"
    row.save()

    page = chief.get(f"{LIST}{row.pk}/change/").content.decode()

    for fact in (
        "Mill &amp; Sons",
        "5149",
        "1,234.56 EUR",
        "For the &lt;oven&gt;",
        "Receipt R-1",
        "Bread flour",
        "Reversal: Charged twice",
        "Entries of its posting",
        "-$40.00",
        str(row.external_id),
    ):
        assert fact in page


@pytest.mark.parametrize(
    ("minor", "currency", "text"),
    [(1_500, "JPY", "1,500 JPY"), (1_500, "KWD", "1.500 KWD"), (-99, "EUR", "-0.99 EUR")],
)
def test_an_amount_is_written_in_the_units_of_its_currency(
    make_transaction, chief, minor, currency, text
):
    row = make_transaction(original_amount_cents=minor, original_currency=currency)

    assert text in chief.get(f"{LIST}{row.pk}/change/").content.decode()


def test_receipts_and_entries_are_for_those_who_may_view_them(business, make_staff):
    row = business.transactions.get(transaction_type="PURCHASE", status="POSTED")

    page = make_staff("view_transaction").get(f"{LIST}{row.pk}/change/").content.decode()

    assert "Receipt R-1" not in page
    assert "Entries of its posting" not in page

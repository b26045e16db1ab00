from datetime import date

import pytest
from django.db import OperationalError, connection

from banking.models import Merchant
from banking.queries import exports
from banking.queries.exports import copy_exported, list_exported
from banking.queries.filters import TransactionFilter
from banking.services.exports import export_rows
from config import database_limits
from foundation.database import deadlines
from foundation.files import stream_csv
from tests.factories import later

MARCH = TransactionFilter(start_date=date(2026, 3, 1), end_date=date(2026, 3, 31))
ON_POSTGRESQL = pytest.mark.skipif(
    connection.vendor != "postgresql", reason="only PostgreSQL writes CSV itself"
)
TEXTS = ["", "=1+1", "@x", "-5", "\ttab", "\r", "a,b", 'say "hi"', "two\r\nlines", "\\.", " ü\\n "]
FILTERS = [
    MARCH,
    TransactionFilter(),
    TransactionFilter(account_number="200000000006", is_business=True),
    TransactionFilter(account_number="unknown"),
    TransactionFilter(category="MEALS", transaction_type="PURCHASE", is_pending=False),
    TransactionFilter(is_pending=True, min_amount_cents=5, max_amount_cents=10**30),
]


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


@pytest.fixture
def business(make_account, make_transaction):
    """A business with all that could be written in two ways."""
    account = make_account(account_number="200000000006")
    for number, text in enumerate(TEXTS):
        merchant = Merchant.objects.create(name=text or "No name") if number % 2 else None
        make_transaction(
            account,
            [-1, 5, -1_234_567, 10**12][number % 4],
            at=later(hours=number, microseconds=999_999),
            description=text,
            merchant=merchant,
            merchant_raw_name=text,
            category_id=["MEALS", "RENT"][number % 3 == 0],
            transaction_type="PURCHASE",
            is_business=number % 2 == 0,
            pending=number % 4 == 2,
        )
    make_transaction(at=later(hours=1))
    return account.business


@ON_POSTGRESQL
@pytest.mark.parametrize("filters", FILTERS)
def test_the_database_writes_the_same_lines(filters, business):
    written = list(copy_exported(business, filters))

    assert written == list(stream_csv([], export_rows(business, filters)))[1:]


@ON_POSTGRESQL
def test_lines_that_are_left_half_way_leave_the_connection_usable(business):
    lines = copy_exported(business, MARCH)
    next(lines)
    lines.close()

    assert len(list(copy_exported(business, MARCH))) == len(TEXTS)


@pytest.fixture
def buyer(make_account, make_transaction):
    return make_transaction(make_account()).account.business


@pytest.fixture
def of_web(monkeypatch):
    """Connect as the web server does, which gives up a statement after 1.5 seconds."""
    with monkeypatch.context() as patch:
        patch.setattr(deadlines, "MARGIN_SECONDS", 0.5)
        patch.setattr(database_limits, "program", "web")
        options = database_limits.options({"options": "-c statement_timeout=1s"})
        patch.setitem(connection.settings_dict, "OPTIONS", options)
        connection.close()
        yield
        connection.close()


@ON_POSTGRESQL
@pytest.mark.django_db(transaction=True)
def test_an_export_may_find_its_first_line_late(buyer, of_web, monkeypatch):
    slow = exports.COPY.replace("{wanted}", "{wanted} AND pg_sleep(2) IS NOT NULL")
    monkeypatch.setattr(exports, "COPY", slow)

    lines = list(copy_exported(buyer, TransactionFilter()))

    assert len(lines) == 1
    with pytest.raises(OperationalError), connection.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(60)")
    assert connection.answer_seconds == 1.5

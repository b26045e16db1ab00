import csv
import io
import tracemalloc
from datetime import date, timedelta
from decimal import Decimal

import pytest

from banking.models import Merchant
from banking.queries.filters import TransactionFilter
from banking.services import balances, holds
from banking.services.exports import RangeTooLong, export_csv, export_rows
from foundation.files import CSV
from tests.factories import NOON, draft_transaction, later

MARCH = TransactionFilter(start_date=date(2026, 3, 1), end_date=date(2026, 3, 31))
NASTY = [
    '=HYPERLINK("http://example.com")',
    "a,b",
    'say "hi"',
    "two\nlines",
    "tab\there",
    "-5",
    "ü",
]


@pytest.fixture
def account(make_account, make_transaction):
    """An account with texts that a file or a spreadsheet could stumble over."""
    account = make_account()
    for number, text in enumerate(NASTY):
        make_transaction(account, number - 3 or 9, at=later(hours=number), description=text)
    merchant = Merchant.objects.create(name="@Corner, Bakery")
    make_transaction(account, at=later(hours=8), merchant=merchant, merchant_raw_name="RAW")
    make_transaction(account, -205, at=later(hours=9), merchant_raw_name="+RAW 7", pending=True)
    return account


def test_the_file_has_a_line_per_transaction(make_account, make_transaction):
    account = make_account(account_number="200000000006")
    row = make_transaction(
        account,
        -1_250,
        category_id="MEALS",
        merchant_raw_name="CORNER BAKERY",
        description="Lunch",
        transaction_type="PURCHASE",
    )

    export = export_csv(account.business, MARCH)

    assert (export.content_type, export.file_name) == (
        CSV,
        "transactions-2026-03-01-2026-03-31.csv",
    )
    assert export.read().content.decode() == (
        "Transaction ID,Time (UTC),Account,Type,Status,Amount (USD),Category,Merchant,"
        "Description,Use,Settled (UTC),Counts as\r\n"
        f"{row.external_id},2026-03-02T12:00:00Z,••••0006,PURCHASE,POSTED,-12.50,Meals,"
        "CORNER BAKERY,Lunch,BUSINESS,2026-03-02T12:00:00Z,EXPENSE\r\n"
    )


def test_no_cell_is_a_formula(account):
    content = export_csv(account.business, MARCH).read().content.decode()

    rows = list(csv.reader(io.StringIO(content, newline="")))[1:]
    texts = [cell for row in rows for cell in [*row[6:9]]]
    assert [text for text in texts if text.startswith(("=", "@", "+", "-"))] == []
    assert {'\'=HYPERLINK("http://example.com")', "'-5", "'@Corner, Bakery", "'+RAW 7"} <= {*texts}
    assert [row[5] for row in rows][:2] == ["-2.05", "10.00"]


def test_an_export_has_only_what_is_wanted(account, make_transaction):
    make_transaction(at=NOON)
    wanted = TransactionFilter(min_amount_cents=200, max_amount_cents=300, is_pending=True)

    [row] = export_rows(account.business, wanted)

    assert row[4:6] == ("PENDING", Decimal("-2.05"))


def test_an_export_that_is_left_half_way_leaves_the_connection_usable(account):
    chunks = export_csv(account.business, MARCH).chunks
    assert next(chunks)
    assert next(chunks)
    del chunks

    assert len(list(export_csv(account.business, MARCH).chunks)) == 1 + len(NASTY) + 2


def test_an_export_takes_few_statements(account, django_assert_max_num_queries):
    with django_assert_max_num_queries(4):  # one, and on PostgreSQL a setting in a savepoint
        export_csv(account.business, MARCH).read()


@pytest.mark.parametrize(
    ("first", "last"),
    [
        (date(2025, 1, 1), date(2026, 1, 2)),
        (None, date(2026, 1, 1)),
        (date(2026, 1, 1), None),
    ],
)
def test_more_than_a_year_is_refused_at_once(make_business, first, last):
    with pytest.raises(RangeTooLong):
        export_csv(make_business(), TransactionFilter(start_date=first, end_date=last))


def test_a_leap_year_can_be_exported(make_business):
    year = TransactionFilter(start_date=date(2024, 1, 1), end_date=date(2024, 12, 31))

    assert len(list(export_csv(make_business(), year).chunks)) == 1


def test_memory_stays_flat(make_account):
    account = make_account()
    drafts = [
        draft_transaction(account, 100, occurred_at=NOON + timedelta(seconds=number))
        for number in range(3_000)
    ]
    holds.record(drafts, balances.lock_accounts(drafts))
    tracemalloc.start()

    size = sum(len(line) for line in export_csv(account.business, MARCH).chunks)

    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size > 300_000
    assert peak < 2_000_000

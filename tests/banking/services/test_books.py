from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from banking.choices import BooksFormat
from banking.imports import ofx_files
from banking.models import Entry, Merchant, Transaction
from banking.queries.ledger import find_differences
from banking.queries.statements import get_any_statement
from banking.services import books, holds, imports, statements
from banking.services.import_batches import ImportCounts
from tests.banking.books.reading import read_ofx
from tests.factories import draft_transaction

OPENED = datetime(2026, 2, 1, tzinfo=UTC)
APRIL = datetime(2026, 4, 2, 12, tzinfo=UTC)
READABLE = [BooksFormat.OFX, BooksFormat.QBO]


def noon(month, day):
    return datetime(2026, month, day, 12, tzinfo=UTC)


@pytest.fixture
def account(make_account, make_transaction):
    """An account with lines on both sides of March, one of them without a merchant."""
    account = make_account(account_number="200000000006", opened_at=OPENED)
    bakery = Merchant.objects.create(name="Corner Bakery & Co")
    make_transaction(account, 50_000, at=noon(2, 28), description="Before")
    make_transaction(account, -1_250, at=noon(3, 2), merchant=bakery, transaction_type="PURCHASE")
    make_transaction(account, 9_900, at=datetime(2026, 3, 31, 23, 59, tzinfo=UTC))
    make_transaction(account, -100, at=datetime(2026, 4, 1, tzinfo=UTC), description="After")
    return account


@pytest.fixture
def march(account):
    """The statement of March, with what a page loads beside it."""
    *_, last = statements.close_months(through=date(2026, 3, 31), at=APRIL)
    return get_any_statement(last.external_id)


def content(statement, chosen=BooksFormat.OFX):
    return books.write_books(statement, chosen).read().content


@pytest.mark.parametrize("chosen", READABLE)
def test_a_file_has_the_lines_of_its_month_and_their_balance(march, chosen):
    rows = Transaction.objects.filter(amount_cents__in=[-1_250, 9_900]).order_by("occurred_at")

    statement = read_ofx(content(march, chosen)).account.statement

    assert [row.id for row in statement.transactions] == [str(row.external_id) for row in rows]
    assert [row.amount for row in statement.transactions] == [Decimal("-12.50"), Decimal("99.00")]
    assert statement.transactions[0].payee == "Corner Bakery & Co"
    assert statement.balance == Decimal("586.50")
    assert march.opening_cents + sum(row.amount_cents for row in rows) == march.closing_cents


def test_the_opening_balance_is_that_of_the_ledger(march):
    assert b"<VALUE>500.00</VALUE>" in content(march)


@pytest.mark.parametrize("chosen", BooksFormat)
def test_no_file_has_the_full_account_number(march, chosen):
    written = content(march, chosen)

    assert (b"XXXXXXXX0006" in written) is (chosen in READABLE)
    assert march.account.account_number.encode() not in written


@pytest.mark.parametrize("chosen", BooksFormat)
def test_the_same_month_is_the_same_file(march, chosen, make_transaction):
    first = content(march, chosen)
    make_transaction(march.account, -5_000, at=noon(4, 1))

    again = content(get_any_statement(march.external_id), chosen)

    assert again == first


def test_pending_lines_and_released_ones_are_left_out(account, make_transaction):
    make_transaction(account, -700, at=noon(3, 30), pending=True)
    released = holds.hold(draft_transaction(account, -800, occurred_at=noon(3, 30)))
    holds.release(released)
    *_, statement = statements.close_months(through=date(2026, 3, 31), at=APRIL)

    amounts = [row.amount for row in read_ofx(content(statement)).account.statement.transactions]

    assert amounts == [Decimal("-12.50"), Decimal("99.00")]


@pytest.mark.parametrize("chosen", READABLE)
def test_what_is_imported_again_changes_nothing(march, chosen, make_account, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(content(march, chosen))
    other = make_account(opened_at=OPENED)

    first, again = (
        imports.import_transactions(other, ofx_files.read(path), at=APRIL, report=lambda _: None)
        for _ in range(2)
    )

    other.refresh_from_db()
    assert (first.posted, first.refused) == (2, 0)
    assert (again.posted, again.refused, again.unchanged) == (0, 0, 2)
    assert other.current_cents == 8_650
    assert not list(find_differences())


@pytest.mark.parametrize("chosen", READABLE)
def test_a_file_imported_into_its_own_account_is_there_already(march, chosen, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(content(march, chosen))
    names = imports.names_of(march.account)
    before = Entry.objects.count()

    counts = imports.import_transactions(
        march.account, ofx_files.read(path, names), at=APRIL, report=lambda _: None
    )

    assert counts == ImportCounts(unchanged=2)
    assert Entry.objects.count() == before


def test_a_file_takes_one_statement(march, django_assert_num_queries):
    for chosen in BooksFormat:
        with django_assert_num_queries(1):
            content(march, chosen)


def test_a_file_is_named_by_month_and_account(march):
    names = [books.write_books(march, chosen).file_name for chosen in BooksFormat]

    assert names == [
        "books-2026-03-0006.qbo",
        "books-2026-03-0006.ofx",
        "books-2026-03-0006-quickbooks.csv",
        "books-2026-03-0006-xero.csv",
    ]


def test_without_a_number_of_intuit_there_is_no_qbo(march, settings):
    settings.INTUIT_BANK_ID = ""

    with pytest.raises(books.FormatUnavailable):
        books.write_books(march, BooksFormat.QBO)
    assert BooksFormat.QBO not in books.list_formats()
    assert len(books.list_formats()) == len(BooksFormat) - 1

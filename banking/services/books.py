"""Books: a closed month of an account as a file for accounting software."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

from django.conf import settings

from banking.books.csv_files import write_quickbooks_csv, write_xero_csv
from banking.books.months import Line, Month
from banking.books.ofx_files import write_ofx, write_qbo
from banking.choices import AccountType, BooksFormat
from banking.days import month_end
from banking.models import Statement
from banking.queries.statements import iterate_transactions
from foundation.files import CSV, Stream

BATCH_SIZE = 1_000  # rows in memory


class FormatUnavailable(ValueError):
    """INTUIT_BANK_ID is not set, without which the bank cannot write QBO files."""


@dataclass(frozen=True)
class _Kind:
    """A file format: its content type, the ending of its file names, and its writer."""

    content_type: str
    ending: str
    write: Callable[[Month], Iterator[bytes]]


KINDS: Final = {
    BooksFormat.OFX: _Kind("application/x-ofx", ".ofx", write_ofx),
    BooksFormat.QUICKBOOKS_CSV: _Kind(CSV, "-quickbooks.csv", write_quickbooks_csv),
    BooksFormat.XERO_CSV: _Kind(CSV, "-xero.csv", write_xero_csv),
}


def list_formats() -> list[BooksFormat]:
    """Return the formats that the bank can write: QBO only if INTUIT_BANK_ID is set."""
    has_number = bool(settings.INTUIT_BANK_ID)
    return [each for each in BooksFormat if has_number or each != BooksFormat.QBO]


def write_books(statement: Statement, chosen: BooksFormat) -> Stream:
    """Return a statement's transactions as a file for accounting software, made while it is read.

    A closed month never changes, so all files of a format have the same bytes. Shape: a chunk for
    the header, then one for each transaction. Raises: FormatUnavailable, before anything is read.
    """
    kind = _kind(chosen)
    last4 = statement.account.account_number[-4:]
    name = f"books-{statement.first_day:%Y-%m}-{last4}{kind.ending}"
    return Stream(kind.content_type, name, kind.write(_month(statement)))


def _kind(chosen: BooksFormat) -> _Kind:
    if chosen != BooksFormat.QBO:
        return KINDS[chosen]
    if not settings.INTUIT_BANK_ID:
        raise FormatUnavailable("INTUIT_BANK_ID is not set.")
    write = partial(write_qbo, intuit_id=settings.INTUIT_BANK_ID)
    return _Kind("application/vnd.intu.qbo", ".qbo", write)


def _month(statement: Statement) -> Month:
    account = statement.account
    return Month(
        bank_name=settings.BANK_NAME,
        routing_number=account.routing_number,
        account_type=AccountType(account.account_type),
        account_last4=account.account_number[-4:],
        first_day=statement.first_day,
        last_day=month_end(statement.first_day),
        opening_cents=statement.opening_cents,
        closing_cents=statement.closing_cents,
        closed_at=statement.created_at,
        lines=_lines(statement),
    )


def _lines(statement: Statement) -> Iterator[Line]:
    for row in iterate_transactions(statement, BATCH_SIZE):
        yield Line.of(
            external_id=row.external_id,
            settled_date=row.settlement_date or statement.first_day,
            amount_cents=row.amount_cents,
            transaction_type=row.transaction_type,
            merchant_name=row.merchant_name,
            description=row.description,
        )

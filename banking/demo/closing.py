"""Close the months of the demo: the lines of account statements, and tax statements."""

from datetime import date, datetime, timedelta

from banking.choices import STATEMENT_ACCOUNT_TYPES
from banking.days import DAY, midnight, month_end
from banking.demo.book import Book
from banking.demo.days import Days
from banking.demo.lines import Lines, name_of
from banking.models import Business
from banking.services import taxes

SETTLEMENT = timedelta(days=8)  # a bill payment of the last day has arrived by then


def add_statements(lines: Lines, book: Book) -> None:
    """Add a statement's line for each month that is over, of each account that has statements."""
    for kind in STATEMENT_ACCOUNT_TYPES:
        if kind not in book.accounts:
            continue
        account = book.accounts[kind]
        for month in book.days.firsts():
            if account.opened_at.date() <= month_end(month) < book.days.until:
                uuid = str(book.dice.uuid(book.days.end))
                data = {"account": name_of(account), "year": month.year, "month": month.month}
                lines.send("statements", data, external_id=uuid, uuid=uuid)


def make_tax_statements(book: Book) -> None:
    """Make the tax statements of past quarters and years whose transactions are complete."""
    business, days = Business.objects.get(external_id=book.business.external_id), book.days
    for period in taxes.list_periods(through=days.until - DAY):
        at = _settled(period.last, days)
        if days.first <= period.last and taxes.is_complete(business, period, at=at):
            taxes.make_tax_statement(business, period=period, at=at)


def _settled(last: date, days: Days) -> datetime:
    """Return the time when transactions up to the day `last` have settled: SETTLEMENT later.

    It is at most the end of the history.
    """
    return min(midnight(last) + SETTLEMENT, days.end)

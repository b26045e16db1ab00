"""Close the months of the demo: make account statements and tax statements."""

from datetime import date, datetime, timedelta

from banking.choices import STATEMENT_ACCOUNT_TYPES
from banking.days import DAY, midnight, month_end
from banking.demo.book import Book
from banking.demo.days import Days
from banking.models import Account, Statement, TaxStatement
from banking.services import statements, taxes

NIGHT = timedelta(hours=30)  # from the start of a month's last day to its closing
SETTLEMENT = timedelta(days=8)  # a bill payment of the last day has arrived by then


def close_months(book: Book) -> None:
    """Make the statement of each past month for each account that has statements."""
    made = [
        statement
        for kind in STATEMENT_ACCOUNT_TYPES
        if kind in book.accounts
        for statement in _close(book.accounts[kind], book.days)
    ]
    for statement in made:
        statement.external_id = book.dice.uuid(statement.created_at)
    Statement.objects.bulk_update(made, ["external_id"], batch_size=200)


def make_tax_statements(book: Book) -> None:
    """Make the tax statement of each past quarter and year."""
    days = book.days
    made = [
        taxes.make_tax_statement(book.business, period=period, at=_settled(period.last, days))
        for period in taxes.list_periods(through=days.until - DAY)
        if days.first <= period.last
        and taxes.is_complete(book.business, period, at=_settled(period.last, days))
    ]
    for statement in made:
        statement.external_id = book.dice.uuid(statement.created_at)
    TaxStatement.objects.bulk_update(made, ["external_id"])


def _close(account: Account, days: Days) -> list[Statement]:
    months = [
        month
        for month in days.firsts()
        if account.opened_at.date() <= month_end(month) < days.until
    ]
    made = [
        statements.close_month(
            account, month=month, at=min(midnight(month_end(month)) + NIGHT, days.end)
        )
        for month in months
    ]
    return [statement for statement in made if statement]


def _settled(last: date, days: Days) -> datetime:
    """Return a time by which the transactions up to the day `last` have settled."""
    return min(midnight(last) + SETTLEMENT, days.end)

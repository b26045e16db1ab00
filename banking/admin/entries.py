"""Entries: the ledger of one account as a table, a page at a time."""

from dataclasses import dataclass
from datetime import date

from django.http import QueryDict
from django.utils.dateparse import parse_date
from django.utils.html import format_html_join

from banking.admin.amounts import amount
from banking.admin.ledger import posting_name
from banking.admin.records import link_to_account
from banking.queries import entries
from foundation.backoffice.cells import Column, Table, timestamp
from foundation.backoffice.lists import MAX_ROWS
from foundation.backoffice.screens import link_to, stack

PER_PAGE = 50
MAX_COUNTERPARTS = 3
COLUMNS = [
    Column("Posted"),
    Column("Posting"),
    Column("Other account"),
    Column("Amount", is_amount=True),
]
BALANCE = Column("Balance", is_amount=True)


@dataclass(frozen=True)
class EntriesPage:
    """A page of an account's entries, with the query strings of the newer and the older page.

    `is_cut` means that older entries exist than pages may show.
    """

    table: Table
    until: date | None
    number: int
    newer: str
    older: str
    is_cut: bool

    @classmethod
    def read(cls, request, account):
        """Return the requested page. A number out of range counts as the nearest page."""
        until = _day(request.GET.get("until", ""))
        last = MAX_ROWS // PER_PAGE
        wanted = request.GET.get("page", "")
        number = min(max(int(wanted), 1), last) if wanted.isdecimal() and len(wanted) < 9 else 1
        start = (number - 1) * PER_PAGE
        rows = list(entries.list_entries(account, until=until)[start : start + PER_PAGE + 1])
        has_older = len(rows) > PER_PAGE
        return cls(
            table=entries_table(account, rows[:PER_PAGE], title="Entries, the newest first"),
            until=until,
            number=number,
            newer=_query(number - 1, until) if number > 1 else "",
            older=_query(number + 1, until) if has_older and number < last else "",
            is_cut=has_older and number == last,
        )


def entries_table(account, rows, *, title, more=""):
    """Return entries as a table, with the balance after each but for the bank's own accounts."""
    has_balance = account.business_id is not None
    return Table(
        title=title,
        columns=[*COLUMNS, BALANCE] if has_balance else COLUMNS,
        rows=[_row(entry, has_balance=has_balance) for entry in rows],
        nothing="Nothing was posted.",
        more=more,
    )


def _row(entry, *, has_balance):
    balance = [amount(entry.balance_cents)] if has_balance else []
    return [
        timestamp(entry.posted_at),
        link_to(entry.posting, _words(entry)),
        _counterparts(entry),
        amount(entry.amount_cents),
        *balance,
    ]


def _counterparts(entry):
    """Return links to the other accounts of the posting, or their number if there are many."""
    others = [other for other in entry.posting.entries.all() if other.pk != entry.pk]
    if len(others) > MAX_COUNTERPARTS:
        return f"{len(others):,} accounts"
    return format_html_join(
        "",
        "{}",
        ([stack(link_to_account(other.account), _holder(other.account))] for other in others),
    )


def _words(entry):
    """Return the merchant of the account's own transaction, or else the name of the posting."""
    own = [row for row in entry.posting.transactions.all() if row.account_id == entry.account_id]
    merchant = own[0].merchant_name if own else ""
    return merchant or posting_name(entry.posting)


def _holder(account):
    return account.business.legal_name if account.business else "The bank"


def _day(text):
    try:
        return parse_date(text)
    except ValueError:
        return None


def _query(number, until):
    query = QueryDict(mutable=True)
    query["page"] = number
    if until:
        query["until"] = until.isoformat()
    return query.urlencode()

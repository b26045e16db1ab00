"""Rules of lines that book money: open accounts, open months, no future, cards of the business."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from banking.feed.faults import FaultCode, refused
from banking.feed.registry import Work
from banking.models import Account, Card, Category, Posting, Transaction
from banking.services import balances, ledger

CLOSED = "The account is closed."
FUTURE = "This lies in the future."
BEFORE_OPENING = "The account was opened later."
MONTH_CLOSED = "The account's month has its statement; date this later."
UNKNOWN_CATEGORY = "There is no such category."
OTHER_BUSINESS = "This card belongs to another business."
THE_BANKS = "This account is the bank's own."
REFUSALS_OF_LEDGER: dict[type[Exception], tuple[str, tuple[str, ...]]] = {
    # the reason, and the path of the field below `data`
    balances.AccountClosed: (CLOSED, ()),
    ledger.AlreadyReversed: ("This was reversed already, or is a reversal itself.", ("status",)),
    ledger.BeforeOpening: (BEFORE_OPENING, ("reversedAt",)),
    ledger.CountedAsPayment: ("An invoice or a bill counts this as its payment.", ("status",)),
    ledger.MonthClosed: (MONTH_CLOSED, ("reversedAt",)),
}


@dataclass(frozen=True)
class Books:
    """The locked accounts of a run of lines, by primary key, and the data for checking the lines.

    `categories` has the codes of all categories, `businesses_of_cards` the primary key of each
    card's business by that of the card. `at` is the present time.
    """

    accounts: Mapping[int, Account]
    categories: Collection[str]
    businesses_of_cards: Mapping[int, int]
    at: datetime

    def refuse_unbookable(
        self, work: Work[Any], account: Account, booked_at: datetime, *path: str | int
    ) -> None:
        """Refuse a line if its account or its time does not allow a posting.

        Refused are accounts of the bank itself, closed accounts, and a time in the future, before
        the day on which the account was opened, or in a month that has its statement. `path` names
        the field of the time below `data`.
        """
        day = booked_at.astimezone(UTC).date()
        if account.business_id is None:
            work.refuse(THE_BANKS)
        if not account.is_open:
            work.refuse(CLOSED)
        if booked_at > self.at:
            work.refuse(FUTURE, *path)
        if day < account.opened_at.astimezone(UTC).date():
            work.refuse(BEFORE_OPENING, *path)
        if account.closed_through and day <= account.closed_through:
            work.refuse(MONTH_CLOSED, *path)

    def refuse_strangers(self, work: Work[Any], card_id: int | None, account: Account) -> None:
        """Refuse a line with an unknown category, or with a card of another business."""
        category = work.data.category
        if category and category not in self.categories:
            work.refuse(UNKNOWN_CATEGORY, "category")
        if card_id and self.businesses_of_cards[card_id] != account.business_id:
            work.refuse(OTHER_BUSINESS, "card")


def open_books(account_ids: Iterable[int], card_ids: Iterable[int] = (), *, at: datetime) -> Books:
    """Lock the accounts in the order of their ids, and return the `Books` for their lines.

    Call it in the transaction that books the lines. Closed accounts are locked and returned, too.
    """
    rows = [Transaction(account_id=pk) for pk in account_ids]
    cards = {pk for pk in card_ids if pk}
    owners = Card.objects.filter(pk__in=cards).values_list("pk", "business_id") if cards else ()
    return Books(
        accounts=balances.lock_accounts(rows, must_be_open=False),
        categories=frozenset(Category.objects.values_list("pk", flat=True)),
        businesses_of_cards=dict(owners),
        at=at,
    )


def reverse(posting: Posting, *, at: datetime, reason: str) -> None:
    """Reverse a posting, in the caller's transaction.

    A posting may have other accounts than the line, which `refuse_unbookable` has not checked.
    Raises: Refused if the ledger refuses the reversal; the caller rolls back.
    """
    try:
        ledger.reverse(posting, at=at, reason=reason)
    except tuple(REFUSALS_OF_LEDGER) as exc:
        text, path = REFUSALS_OF_LEDGER[type(exc)]
        place = ("data", *path) if path else ()
        raise refused(FaultCode.VALUE_REFUSED, *place, reason=text) from None

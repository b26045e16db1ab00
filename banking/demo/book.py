"""Planned transactions of a business: collected first, then written month by month."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import groupby
from operator import attrgetter
from typing import Any

from banking.choices import AccountType, TransactionType
from banking.demo.days import Days
from banking.demo.dice import Dice
from banking.demo.profiles import Profile
from banking.demo.shops import MerchantDirectory
from banking.models import Account, Business, PaymentRule, Transaction
from banking.services import balances, holds, ledger
from banking.services.ledger import Draft

MAIN = AccountType.MAIN_ACCOUNT
FLOOR = 150_000  # with less on the checking account, the owner helps


@dataclass
class Book:
    """The planned transactions of one business, with its accounts.

    `at` is the time of posting. A transaction with `at` after the end of the demo is a hold.
    """

    business: Business
    profile: Profile
    days: Days
    dice: Dice
    directory: MerchantDirectory
    accounts: dict[AccountType, Account]
    fee_income: Account
    rules: dict[str, PaymentRule]
    drafts: list[Draft] = field(default_factory=list)
    holds: list[Transaction] = field(default_factory=list)

    def enter(
        self,
        kind: TransactionType,
        amount_cents: int,
        *,
        at: datetime,
        category: str,
        description: str = "",
        account: AccountType = MAIN,
        occurred_at: datetime | None = None,
        **facts: Any,
    ) -> Transaction:
        """Plan a transaction: a posting, or a hold if `at` is after the end of the demo."""
        occurred_at = occurred_at or at
        row = Transaction(
            external_id=self.dice.uuid(occurred_at),
            account=self.accounts[account],
            transaction_type=kind,
            amount_cents=amount_cents,
            occurred_at=occurred_at,
            category_id=category,
            description=description,
            **facts,
        )
        if at >= self.days.end:
            row.settles_at = at
            self.holds.append(row)
        else:
            self._post([row], at)
        return row

    def pay(
        self, amount_cents: int, *, at: datetime, category: str, description: str, **facts: Any
    ) -> Transaction:
        """Plan a transfer from the checking account or, with a positive amount, to it."""
        transfer = TransactionType.FUND_TRANSFER
        return self.enter(
            transfer, amount_cents, at=at, category=category, description=description, **facts
        )

    def charge(self, amount_cents: int, *, at: datetime, description: str, **facts: Any) -> None:
        """Plan a fee or interest, which the bank earns. Units: positive cents."""
        facts = {"category": "BANK_FEES", **facts}
        self.enter(TransactionType.FEE, -amount_cents, at=at, description=description, **facts)

    def move(
        self,
        source: AccountType,
        target: AccountType,
        amount_cents: int,
        *,
        at: datetime,
        description: str,
    ) -> None:
        """Plan a transfer between two accounts of the business."""
        accounts = self.accounts[source], self.accounts[target]
        rows = ledger.transfer_rows(*accounts, amount_cents, at=at, description=description)
        for row in rows:
            row.external_id = self.dice.uuid(at)
        self._post(rows, at)

    def prevent_overdrafts(self) -> None:
        """Plan investments of the owner wherever the checking account would fall below FLOOR."""
        self.drafts.sort(key=attrgetter("at"))
        balance = 0
        for draft in list(self.drafts):
            balance += self._on_main(draft.transactions)
            balance += self._top_up(balance, draft.at - timedelta(seconds=1))
        held = self._on_main(row for row in self.holds if row.amount_cents < 0)
        self._top_up(balance + held, self.days.end - timedelta(seconds=1))

    def _on_main(self, rows: Iterable[Transaction]) -> int:
        return sum(row.amount_cents for row in rows if row.account is self.accounts[MAIN])

    def _top_up(self, balance: int, at: datetime) -> int:
        """Plan an investment of the owner if the balance is below FLOOR; return its cents.

        The amount is a multiple of half the opening deposit.
        """
        step = self.profile.investment * 50
        amount = -(-max(0, FLOOR - balance) // step) * step
        if amount:
            note = "From the owner"
            self.pay(amount, at=at, category="OWNER_INVESTMENT", description=note)
        return amount

    def _post(self, rows: Sequence[Transaction], at: datetime) -> None:
        is_fee = all(row.transaction_type == TransactionType.FEE for row in rows)
        draft = Draft(
            rows,
            at,
            counter=self.fee_income if is_fee else None,
            description=rows[0].description,
        )
        draft.posting.id = self.dice.uuid(at)
        self.drafts.append(draft)


def write(books: Iterable[Book]) -> None:
    """Write the planned transactions: postings a month at a time, then the holds."""
    books = list(books)
    drafts = sorted((draft for book in books for draft in book.drafts), key=attrgetter("at"))
    for _, month in groupby(drafts, key=lambda draft: (draft.at.year, draft.at.month)):
        batch = list(month)
        rows = [row for draft in batch for row in draft.transactions]
        ledger.record(batch, balances.lock_accounts(rows))
    held = sorted((row for book in books for row in book.holds), key=attrgetter("occurred_at"))
    holds.record(held, balances.lock_accounts(held))
    _learn_keys(books)


def _learn_keys(books: Sequence[Book]) -> None:
    """Set the primary keys of the written rows, which COPY does not return."""
    found = Transaction.objects.filter(business__in=[book.business for book in books])
    keys = dict(found.values_list("external_id", "pk"))
    for book in books:
        for row in (*book.holds, *(row for draft in book.drafts for row in draft.transactions)):
            row.pk = keys[row.external_id]

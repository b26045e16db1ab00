"""What is to be posted for a business: collected first, then written month by month."""

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
from banking.demo.shops import Mall
from banking.models import Account, Business, PaymentRule, Transaction
from banking.services import balances, holds, ledger
from banking.services.ledger import Draft

MAIN = AccountType.MAIN_ACCOUNT
FLOOR = 150_000  # with less on the checking account, the owner helps


@dataclass
class Book:
    """One business on its way through the demo: its accounts, and what happens on them.

    Transactions are posted at `at`; what would be posted after the demo's end is pending.
    """

    business: Business
    profile: Profile
    days: Days
    dice: Dice
    mall: Mall
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
        """Post a transaction, or hold it where it would settle after the end."""
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
        """Send money from the checking account, or receive it there."""
        transfer = TransactionType.FUND_TRANSFER
        return self.enter(
            transfer, amount_cents, at=at, category=category, description=description, **facts
        )

    def charge(self, amount_cents: int, *, at: datetime, description: str, **facts: Any) -> None:
        """Take a fee, or interest, that the bank earns."""
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
        """Move money between accounts of the business."""
        sides = [(source, -amount_cents, "TRANSFERS_OUT"), (target, amount_cents, "TRANSFERS_IN")]
        rows = [
            Transaction(
                external_id=self.dice.uuid(at),
                account=self.accounts[account],
                transaction_type=TransactionType.FUND_TRANSFER,
                amount_cents=amount,
                occurred_at=at,
                category_id=category,
                description=description,
            )
            for account, amount, category in sides
        ]
        self._post(rows, at)

    def prevent_overdrafts(self) -> None:
        """Let the owner put money in before the checking account would run low."""
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
        """Return how much the owner put in: half of what was invested first, or twice that."""
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
    """Record what the books hold, a month at a time, and the pending last."""
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
    """Give the written rows their keys: COPY does not tell them, and other rows refer to them."""
    found = Transaction.objects.filter(business__in=[book.business for book in books])
    keys = dict(found.values_list("external_id", "pk"))
    for book in books:
        for row in (*book.holds, *(row for draft in book.drafts for row in draft.transactions)):
            row.pk = keys[row.external_id]

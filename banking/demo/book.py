"""The planned transactions of a demo business, which become lines of the feed, sorted by time."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Any
from uuid import UUID

from banking.choices import AccountType, TransactionType
from banking.demo.days import Days
from banking.demo.dice import Dice
from banking.demo.lines import Lines, name_of
from banking.demo.profiles import Profile
from banking.demo.shops import MerchantDirectory
from banking.models import Account, Business, PaymentRule, Transaction
from banking.services import ledger

MAIN = AccountType.MAIN_ACCOUNT
FLOOR = 150_000  # with less on the checking account, the owner helps


@dataclass(frozen=True)
class Planned:
    """A planned posting at a time: of one transaction, or of the two transactions of a transfer."""

    id: UUID
    transactions: Sequence[Transaction]
    at: datetime

    def add_to(self, lines: Lines) -> None:
        """Add the line of the posting."""
        first = self.transactions[0]
        if len(self.transactions) == 1:
            _add_transaction(lines, first, status="POSTED", settled_at=self.at)
            return
        entries = [
            {
                "account": name_of(row.account),
                "amountCents": row.amount_cents,
                "id": row.external_id,
            }
            for row in self.transactions
        ]
        data = {"entries": entries, "occurred_at": self.at, "description": first.description}
        lines.send("transfers", data, external_id=str(self.id), uuid=str(self.id))


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
    rules: dict[str, PaymentRule]
    planned: list[Planned] = field(default_factory=list)
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
        """Plan a transaction and return it: a posting, or a hold if `at` is not before the end.

        `at` is the time of posting, `occurred_at` that of the purchase, by default the same.
        `facts` are further fields of the transaction. Units: cents, negative out of the account.
        """
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
        """Plan a transfer out of the checking account or, with a positive amount, into it."""
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
        self.planned.sort(key=attrgetter("at"))
        balance = 0
        for posting in list(self.planned):
            balance += self._on_main(posting.transactions)
            balance += self._top_up(balance, posting.at - timedelta(seconds=1))
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
        self.planned.append(Planned(self.dice.uuid(at), rows, at))


def add_movements(lines: Lines, books: Iterable[Book]) -> None:
    """Add the lines of all planned transactions: postings, then holds, each by time."""
    books = list(books)
    for posting in sorted((one for book in books for one in book.planned), key=attrgetter("at")):
        posting.add_to(lines)
    for row in sorted((row for book in books for row in book.holds), key=attrgetter("occurred_at")):
        _add_transaction(lines, row, status="PENDING")


def _add_transaction(lines: Lines, row: Transaction, **data: Any) -> None:
    facts = {"category": row.category_id, "merchant_name": row.merchant_raw_name}
    lines.add("transactions", row, **facts, **data)

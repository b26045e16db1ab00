"""Runs of transactions: decide about each line, then write all of them together."""

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cached_property, partial
from typing import Any

from banking.choices import AccountType, TransactionStatus, TransactionType
from banking.feed import booking_rules
from banking.feed.booking_rules import Books
from banking.feed.registry import Work
from banking.feed.transaction_data import TransactionData
from banking.models import Account, Merchant, Transaction
from banking.services import balances, holds, ledger, totals
from banking.services.import_batches import DEFAULT_CATEGORIES, OTHER
from banking.services.ledger import Draft

DETAILS = [  # columns that a later line may change
    "category_id",
    "is_business",
    "description",
    "note",
    "merchant_id",
    "merchant_raw_name",
    "location_id",
    "card_id",
    "settles_at",
]
COUNTED = {  # those of them that totals are kept by
    "category_id",
    "is_business",
    "merchant_id",
    "merchant_raw_name",
}
NOT_PENDING = "A transaction that was posted or released cannot become pending."
NOT_RELEASED = "A posted transaction cannot be released; send the status REVERSED."
WAS_REVERSED = "The transaction was reversed; send the money as a new transaction."
FIXED = "A transaction keeps this value; reverse it and send a new one."
OTHER_DIRECTION = "The money of a pending transaction cannot change its direction."


class TransactionRun:
    """Checks each line of a run of lines of one kind, and then writes all lines together."""

    def __init__(self, books: Books, merchants: Mapping[tuple[str, str], Merchant]) -> None:
        self.books, self.merchants = books, merchants
        self.new_holds: list[Work[TransactionData]] = []
        self.settling: list[Work[TransactionData]] = []
        self.posting: list[Work[TransactionData]] = []
        self.changed: list[Transaction] = []
        self.after: list[Callable[[], object]] = []  # steps that are rare, one by one

    def take(self, work: Work[TransactionData]) -> None:
        """Refuse a line, or plan the rows that `write` writes for the line.

        If a column in COUNTED changes, the totals are changed at once, not by `write`.
        """
        details = self._details(work)
        self.books.refuse_strangers(work, details["card_id"], self._account_of(work))
        if work.row is None:
            self._take_new(work, details)
        else:
            self._take_known(work, details)

    def write(self) -> None:
        """Write the lines that `take` did not refuse, in the caller's transaction.

        Raises: Refused if the ledger refuses a reversal, for example of the payment of a bill; the
        caller rolls back.
        """
        accounts = dict(self.books.accounts)
        if self.new_holds:
            holds.record([work.row for work in self.new_holds], accounts)
        if self.settling:
            rows = [work.row for work in self.settling]
            balances.hold_back(rows, sign=-1)
            totals.add(rows, sign=-1)
            for work in self.settling:
                work.row.amount_cents = work.data.amount_cents
        if drafts := [self._draft(work) for work in [*self.posting, *self.settling]]:
            ledger.record(drafts, accounts)
        if self.changed:
            Transaction.objects.bulk_update(self.changed, DETAILS)
        for step in self.after:
            step()

    def _take_new(self, work: Work[TransactionData], details: dict[str, Any]) -> None:
        data = work.data
        row = Transaction(
            **details,
            **({"external_id": work.line.id} if work.line.id else {}),
            transaction_type=data.transaction_type,
            amount_cents=data.amount_cents,
            occurred_at=data.occurred_at,
            original_amount_cents=data.original_amount_cents,
            original_currency=data.original_currency,
        )
        if data.amount_cents == 0:
            work.refuse("An amount is not zero.", "amountCents")
        if (data.original_amount_cents is None) != (data.original_currency == ""):
            work.refuse("An original amount has a currency.", "originalCurrency")
        self._refuse_unbookable(work)
        if work.faults:
            return
        work.row = row
        if data.status in {"PENDING", "RELEASED"}:
            self.new_holds.append(work)
        else:
            self.posting.append(work)
        self._end(work)

    def _take_known(self, work: Work[TransactionData], details: dict[str, Any]) -> None:
        row, data = work.row, work.data
        self._refuse_other(work, details)
        if reason := _refusal_of_status(row, data.status):
            work.refuse(reason, "status")
        books_money = data.status in {"POSTED", "REVERSED"} and not row.posting_id
        if books_money:
            self._refuse_unbookable(work)
        elif data.status == "REVERSED" and not _is_reversed(row):
            self._refuse_unreversible(work)
        if work.faults:
            return
        self._change(row, details)
        if books_money and row.is_pending:
            self.settling.append(work)
        elif books_money:
            row.amount_cents = data.amount_cents
            self.posting.append(work)
        if not _is_reversed(row):
            self._end(work)

    def _end(self, work: Work[TransactionData]) -> None:
        """Plan the release or the reversal if the status of the line is RELEASED or REVERSED."""
        row, data = work.row, work.data
        if data.status == "RELEASED" and (row.is_pending or row.pk is None):
            self.after.append(lambda: holds.release(row))
        elif data.status == "REVERSED" and data.reversed_at:
            self.after.append(partial(_reverse, work, at=data.reversed_at))

    def _refuse_unbookable(self, work: Work[TransactionData]) -> None:
        """Refuse a line whose account or times do not allow its posting, hold or reversal."""
        data = work.data
        booked_at = data.settled_at or data.occurred_at
        field = "settledAt" if data.settled_at else "occurredAt"
        if data.status in {"PENDING", "RELEASED"}:
            booked_at, field = data.occurred_at, "occurredAt"
        self.books.refuse_unbookable(work, self._account_of(work), booked_at, field)
        if data.status == "REVERSED":
            self._refuse_unreversible(work)

    def _refuse_unreversible(self, work: Work[TransactionData]) -> None:
        """Refuse a line whose account or `reversedAt` does not allow its reversal."""
        reversed_at = work.data.reversed_at
        if reversed_at is None:
            work.refuse("A reversed transaction says when.", "reversedAt")
        else:
            self.books.refuse_unbookable(work, self._account_of(work), reversed_at, "reversedAt")

    def _account_of(self, work: Work[TransactionData]) -> Account:
        """Return the account that the line names; of a stored row it may be another account."""
        return self.books.accounts[work.target("accounts", work.data.account) or 0]

    def _refuse_other(self, work: Work[TransactionData], details: dict[str, Any]) -> None:
        """Refuse a line that changes a fixed field of a stored transaction, such as its account."""
        row, data = work.row, work.data
        kept = {
            "account": (row.account_id, details["account_id"]),
            "transactionType": (row.transaction_type, data.transaction_type),
            "occurredAt": (row.occurred_at, data.occurred_at),
            "originalAmountCents": (row.original_amount_cents, data.original_amount_cents),
            "originalCurrency": (row.original_currency, data.original_currency),
        }
        if row.posting_id or data.status in {"PENDING", "RELEASED"}:
            kept["amountCents"] = (row.amount_cents, data.amount_cents)
        elif row.amount_cents * data.amount_cents <= 0:
            work.refuse(OTHER_DIRECTION, "amountCents")
        for field, (stored, sent) in kept.items():
            if stored != sent:
                work.refuse(FIXED, field)

    def _change(self, row: Transaction, details: dict[str, Any]) -> None:
        """Set the columns that changed, for `write` to save.

        If the totals are summed by one of them, moves the transaction between totals.
        """
        changed = {name for name in DETAILS if getattr(row, name) != details[name]}
        if not changed:
            return
        is_counted = row.status != TransactionStatus.RELEASED and changed & COUNTED
        if is_counted:
            totals.add([row], sign=-1)
        for name in changed:
            setattr(row, name, details[name])
        if is_counted:
            totals.add([row])
        self.changed.append(row)

    def _details(self, work: Work[TransactionData]) -> dict[str, Any]:
        """Return `account_id` and the columns in DETAILS with the values from the line."""
        data = work.data
        default = DEFAULT_CATEGORIES.get(data.transaction_type, OTHER)[data.amount_cents > 0]
        merchant = self.merchants.get((data.merchant_name, data.mcc))
        return {
            "account_id": work.target("accounts", data.account),
            "category_id": data.category or default,
            "is_business": data.is_business,
            "description": data.description,
            "note": data.note,
            "merchant_id": work.target("merchants", data.merchant) or (merchant and merchant.pk),
            "merchant_raw_name": data.merchant_name,
            "location_id": work.target("locations", data.location),
            "card_id": work.target("cards", data.card),
            "settles_at": data.settles_at if data.status == "PENDING" else None,
        }

    def _draft(self, work: Work[TransactionData]) -> Draft:
        row, data = work.row, work.data
        row.account = self.books.accounts[row.account_id]
        return Draft(
            [row],
            data.settled_at or data.occurred_at,
            counter=self._fee_income if row.transaction_type == TransactionType.FEE else None,
            description=row.description,
        )

    @cached_property
    def _fee_income(self) -> Account:
        return ledger.bank_account(AccountType.FEE_INCOME)


def _refusal_of_status(row: Transaction, status: str) -> str:
    """Return why a stored transaction cannot take the status; empty if it can."""
    if _is_reversed(row) and status != "REVERSED":
        return WAS_REVERSED
    if status == "PENDING" and not row.is_pending:
        return NOT_PENDING
    if status == "RELEASED" and row.status == TransactionStatus.POSTED:
        return NOT_RELEASED
    return ""


def _is_reversed(row: Transaction) -> bool:
    return row.posting is not None and hasattr(row.posting, "reversed_by")


def _reverse(work: Work[TransactionData], *, at: datetime) -> None:
    booking_rules.reverse(work.row.posting, at=at, reason=work.data.note or "by the bank")

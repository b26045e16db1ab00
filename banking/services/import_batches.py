"""Batches of imported lines: decide about each line, then write the whole batch.

A line is known by its id on its account. The files say what has happened, so nothing asks whether
the money was there; all else is the ledger's to decide.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from functools import cached_property
from uuid import UUID

from django.db import connection

from banking.choices import AccountType, TransactionStatus, TransactionType
from banking.imports.transactions import (
    Fault,
    ImportedTransaction,
    InvalidField,
    Line,
    at_noon,
    check_cents,
    quoted,
)
from banking.models import Account, Merchant, Transaction
from banking.services import holds, ledger
from banking.services.ledger import Draft
from banking.services.merchants import keep_merchants

SAME = timedelta(days=7)  # banks date a transaction anew, but not by more
DEFAULT_CATEGORIES = {  # of money out, of money in; a refund reduces what it refunds
    TransactionType.FEE: ("BANK_FEES", "BANK_FEES"),
    TransactionType.ATM: ("CASH_WITHDRAWAL", "CASH_WITHDRAWAL"),
    TransactionType.REFUND: ("SALES", "REFUNDS"),
}
OTHER = ("OTHER_EXPENSE", "OTHER_INCOME")

# as IN (...) PostgreSQL would rather read the whole account, of whose growth it does not know yet
FIND_EACH = """
SELECT found.* FROM unnest(%s::text[]) AS wanted (source_id) CROSS JOIN LATERAL (
    SELECT * FROM banking_transaction
    WHERE account_id = %s AND source_id = wanted.source_id AND NOT source_id = '' LIMIT 1
) found
"""


@dataclass(frozen=True)
class ImportCounts:
    """Counts of lines posted, held, settled, already present, and refused."""

    posted: int = 0
    held: int = 0
    settled: int = 0
    unchanged: int = 0
    refused: int = 0

    def __add__(self, other: "ImportCounts") -> "ImportCounts":
        sums = (getattr(self, item.name) + getattr(other, item.name) for item in fields(self))
        return ImportCounts(*sums)


@dataclass
class Batch:
    """Lines of one locked account: decides about each, then writes them together.

    Call `find_rows` with all lines, `take` with each, and then `write`.
    """

    account: Account
    at: datetime
    categories: frozenset[str]
    rows: dict[str, Transaction] = field(default_factory=dict)  # those that are there, by id
    posts: dict[str, ImportedTransaction] = field(default_factory=dict)
    holds: dict[str, ImportedTransaction] = field(default_factory=dict)
    settles: dict[str, ImportedTransaction] = field(default_factory=dict)
    unchanged: int = 0
    faults: list[Fault] = field(default_factory=list)

    def find_rows(self, lines: Iterable[Line]) -> None:
        """Look up the stored transactions of the lines, by the ids that the lines have."""
        ids = [line.external_id for line in lines if isinstance(line, ImportedTransaction)]
        self.rows = {str(row.external_id): row for row in _find_exported(self.account, ids)}
        self.rows |= {row.source_id: row for row in _find_rows(self.account, ids)}

    def take(self, line: Line) -> None:
        """Decide whether to post, hold, settle or skip a line; keep the fault of a refused line."""
        if isinstance(line, Fault):
            self.faults.append(line)
            return
        try:
            row = self.rows.get(line.external_id)
            if row is None:
                self._take_new(line)
            else:
                self._take_known(line, row)
        except InvalidField as exc:
            self.faults.append(Fault(line.line, str(exc)))

    def write(self) -> ImportCounts:
        """Write the rows decided by `take`, settle pending transactions, and return the counts."""
        new = [*self.posts.values(), *self.holds.values()]
        merchants = keep_merchants(
            {(line.merchant_name, line.mcc) for line in new if line.merchant_name and line.mcc}
        )
        held = [self._row(line, merchants) for line in self.holds.values()]
        drafts = [self._draft(self._row(line, merchants), line) for line in self.posts.values()]
        settling = [(self.rows[name], line) for name, line in self.settles.items()]
        # what was let go is posted after all: the bank says that it happened
        drafts += [self._draft(row, line) for row, line in settling if not row.is_pending]
        if held:
            holds.record(held, {self.account.pk: self.account})
        if drafts:
            ledger.record(drafts, {self.account.pk: self.account})
        for row, line in settling:
            if row.is_pending:
                holds.settle(row, at=_settled_at(line), amount_cents=line.amount_cents)
        return ImportCounts(
            posted=len(self.posts),
            held=len(self.holds),
            settled=len(self.settles),
            unchanged=self.unchanged,
            refused=len(self.faults),
        )

    def _check(self, line: ImportedTransaction) -> None:
        """Raise InvalidField for a line that must not be written."""
        check_cents(line.amount_cents)
        day = line.settled_date or line.occurred_at.date()
        if day > self.at.date():
            raise InvalidField(f"lies in the future, on {day}")
        opened = self.account.opened_at.astimezone(UTC).date()
        if day < opened:
            raise InvalidField(f"is of {day}, and the account was opened on {opened}")
        closed = self.account.closed_through
        if not line.is_pending and closed and day <= closed:
            raise InvalidField(f"is of {day}, and the account is closed through {closed}")
        if line.category and line.category not in self.categories:
            raise InvalidField(f"has the category {quoted(line.category)}, which is none of ours")

    def _take_new(self, line: ImportedTransaction) -> None:
        name = line.external_id
        if name in self.posts:
            self._leave(line, self.posts[name])
        elif line.is_pending:
            if name in self.holds:
                self._leave(line, self.holds[name])
            else:
                self._check(line)
                self.holds[name] = line
        else:
            if name in self.holds:
                _check_direction(line, self.holds[name])
            self._check(line)
            if self.holds.pop(name, None):
                self.unchanged += 1  # a hold that its posting follows need not be written
            self.posts[name] = line

    def _take_known(self, line: ImportedTransaction, row: Transaction) -> None:
        if line.is_pending and not row.is_pending:
            self.unchanged += 1
        elif line.is_pending or row.status == TransactionStatus.POSTED:
            self._leave(line, row)
        elif line.external_id in self.settles:
            self._leave(line, self.settles[line.external_id])
        else:
            _check_direction(line, row)
            self._check(line)
            self.settles[line.external_id] = line

    def _leave(self, line: ImportedTransaction, there: ImportedTransaction | Transaction) -> None:
        """Count a line as already present. Raises: InvalidField if its amount or day differs."""
        settled = (
            there.settled_date if isinstance(there, ImportedTransaction) else there.settlement_date
        )
        if line.is_pending and settled:
            pass  # the final amount may differ from the one that was held
        elif line.amount_cents != there.amount_cents:
            raise InvalidField("has the id of a transaction with another amount")
        elif line.settled_date and settled and abs(line.settled_date - settled) > SAME:
            raise InvalidField(f"has the id of a transaction of {settled}")
        self.unchanged += 1

    def _row(
        self, line: ImportedTransaction, merchants: dict[tuple[str, str], Merchant]
    ) -> Transaction:
        default = DEFAULT_CATEGORIES.get(line.transaction_type, OTHER)[line.amount_cents > 0]
        return Transaction(
            account=self.account,
            source_id=line.external_id,
            transaction_type=line.transaction_type,
            amount_cents=line.amount_cents,
            occurred_at=line.occurred_at,
            category_id=line.category or default,
            description=line.description,
            merchant=merchants.get((line.merchant_name, line.mcc)),
            merchant_raw_name=line.merchant_name,
            original_amount_cents=line.original_amount_cents,
            original_currency=line.original_currency,
        )

    def _draft(self, row: Transaction, line: ImportedTransaction) -> Draft:
        row.account, row.amount_cents = self.account, line.amount_cents
        counter = self._fee_income if row.transaction_type == TransactionType.FEE else None
        return Draft([row], _settled_at(line), counter=counter, description=row.description)

    @cached_property
    def _fee_income(self) -> Account:
        return ledger.bank_account(AccountType.FEE_INCOME)


def _check_direction(line: ImportedTransaction, held: ImportedTransaction | Transaction) -> None:
    """Raise InvalidField for a line that would settle a hold with money that goes the other way."""
    if line.amount_cents * held.amount_cents < 0:
        raise InvalidField("settles a transaction that goes the other way")


def _find_rows(account: Account, ids: list[str]) -> Iterable[Transaction]:
    """Return the transactions with these ids, one look into the index for each id."""
    if connection.vendor == "postgresql":
        return Transaction.objects.raw(FIND_EACH, [ids, account.pk])
    return Transaction.objects.filter(account=account, source_id__in=ids).exclude(source_id="")


def _find_exported(account: Account, ids: list[str]) -> Iterable[Transaction]:
    """Return the account's transactions whose own UUIDs are among the ids.

    Accounting files that this bank wrote have these UUIDs as their ids.
    """
    uuids = [UUID(name) for name in ids if _is_uuid(name)]
    return account.transactions.filter(external_id__in=uuids) if uuids else []


def _is_uuid(name: str) -> bool:
    try:
        return str(UUID(name)) == name
    except ValueError:
        return False


def _settled_at(line: ImportedTransaction) -> datetime:
    """Return the time of the transaction, or noon of the settled date if that is another day."""
    if line.settled_date in {None, line.occurred_at.date()}:
        return line.occurred_at
    return at_noon(line.settled_date)

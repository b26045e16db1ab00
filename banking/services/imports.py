"""Import the transactions of a bank file into the ledger, each line once."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from django.db import connection, transaction

from banking.imports.accounts import AccountNames
from banking.imports.transactions import Fault, Line
from banking.models import Account, Category, Transaction
from banking.services import balances
from banking.services.import_batches import Batch, ImportCounts

BATCH_SIZE = 2000


@dataclass(frozen=True)
class Step:
    """The outcome of a batch: its last line in the file, its counts, and its faults."""

    line: int
    counts: ImportCounts
    faults: Sequence[Fault]


def names_of(account: Account) -> AccountNames:
    """Return the account's number and its cards' last four digits, by which a file may name it."""
    last4 = account.cards.values_list("last4", flat=True)
    return AccountNames(account.account_number, frozenset(last4))


def import_transactions(
    account: Account,
    lines: Iterable[Line],
    *,
    at: datetime,
    report: Callable[[Step], None],
    all_or_nothing: bool = False,
    dry_run: bool = False,
) -> ImportCounts:
    """Write the lines of a file to an account, in batches that are committed one by one.

    A repeated import writes no line twice. With `all_or_nothing` or `dry_run` all batches are one
    transaction, which locks the account: it is rolled back if a line is refused, or always with
    `dry_run`. `report` is called after each batch. Raises: AccountClosed, and the errors of
    reading the lines.
    """
    if not (all_or_nothing or dry_run):
        return _import_batches(account, lines, at, report)
    with transaction.atomic():
        counts = _import_batches(account, lines, at, report)
        if dry_run or counts.refused:
            transaction.set_rollback(True)
    return counts


def _import_batches(
    account: Account, lines: Iterable[Line], at: datetime, report: Callable[[Step], None]
) -> ImportCounts:
    categories = frozenset(Category.objects.values_list("code", flat=True))
    counts = ImportCounts()
    for batch in _batches(lines):
        step = _import_batch(account, batch, at, categories)
        counts += step.counts
        report(step)
    return counts


def _batches(lines: Iterable[Line]) -> Iterator[list[Line]]:
    iterator = iter(lines)
    while batch := list(islice(iterator, BATCH_SIZE)):
        yield batch


@transaction.atomic
def _import_batch(
    account: Account, lines: Sequence[Line], at: datetime, categories: frozenset[str]
) -> Step:
    locked = balances.lock_accounts([Transaction(account=account)])
    batch = Batch(locked[account.pk], at, categories)
    batch.find_rows(lines)
    for line in lines:
        batch.take(line)
    step = Step(lines[-1].line, batch.write(), batch.faults)
    if connection.vendor == "postgresql":
        connection.check_constraints()  # else all or nothing would put off a million checks
    return step

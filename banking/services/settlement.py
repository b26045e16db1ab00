"""Settlement: post the pending transactions that are due, each by itself."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from banking.models import Transaction
from banking.services import balances, holds, ledger

BATCH_SIZE = 500


@dataclass(frozen=True)
class Outcome:
    """The outcome of a pending transaction; `fault` is empty if it settled."""

    transaction: Transaction
    fault: str = ""


def settle_due(*, at: datetime) -> Iterator[Outcome]:
    """Settle pending transactions due by `at`, oldest first, and yield the outcome of each.

    Each is committed by itself. A transaction that the ledger refuses stays pending, and its
    outcome has the fault. Skips transactions that were settled or released meanwhile. Nothing is
    settled before the outcomes are read.
    """
    for row in _due(at):
        try:
            yield Outcome(holds.settle(row, at=at))
        except holds.NotPending:
            continue
        except (balances.AccountClosed, ledger.BeforeOpening, ledger.MonthClosed) as exc:
            yield Outcome(row, fault=str(exc))


def _due(at: datetime) -> Iterator[Transaction]:
    """Yield due transactions in batches; a transaction that did not settle is not repeated."""
    due = Transaction.objects.due(at=at).order_by("settles_at", "pk")
    batch = list(due[:BATCH_SIZE])
    while batch:
        yield from batch
        last = batch[-1]
        later = Q(settles_at__gt=last.settles_at) | Q(settles_at=last.settles_at, pk__gt=last.pk)
        batch = list(due.filter(later)[:BATCH_SIZE])

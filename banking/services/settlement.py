"""Settlement: post the pending transactions that are due, each by itself."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from banking.models import Transaction
from banking.services import ledger


@dataclass(frozen=True)
class Outcome:
    """What became of one pending transaction; `fault` is empty if it settled."""

    transaction: Transaction
    fault: str = ""


def settle_due(*, at: datetime) -> Iterator[Outcome]:
    """Settle what was due by `at`, oldest first; what somebody else ends meanwhile is left out."""
    due = Transaction.objects.due(at=at).values_list("pk", flat=True)
    for row in Transaction.objects.filter(pk__in=list(due)).order_by("settles_at", "pk"):
        try:
            yield Outcome(ledger.settle(row, at=at))
        except ledger.NotPending:
            continue
        except (ledger.AccountClosed, ledger.MonthClosed) as exc:
            yield Outcome(row, fault=str(exc))

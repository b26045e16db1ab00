"""Lines as the readers yield them, and what becomes of them."""

from dataclasses import replace

from banking.choices import TransactionType
from banking.imports.transactions import ImportedTransaction
from banking.services import imports
from tests.factories import NOON

DAY = NOON.date()
LINE = ImportedTransaction(
    line=2,
    external_id="a",
    occurred_at=NOON,
    settled_date=DAY,
    amount_cents=-500,
    transaction_type=TransactionType.PURCHASE,
    description="Coffee",
)
PENDING = replace(LINE, is_pending=True, settled_date=None)


def numbered(count, start=0, **values):
    return [
        replace(LINE, line=start + n + 2, external_id=f"n{start + n}", **values)
        for n in range(count)
    ]


def run(account, lines, *, at=NOON, **options):
    steps = []
    counts = imports.import_transactions(account, lines, at=at, report=steps.append, **options)
    return counts, [fault for step in steps for fault in step.faults]


def reasons(account, *lines, **options):
    return [fault.reason for fault in run(account, lines, **options)[1]]


def balances(account):
    account.refresh_from_db()
    return account.current_cents, account.held_cents

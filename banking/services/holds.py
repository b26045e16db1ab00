"""Holds: transactions that are pending, until they settle or are released."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from banking.choices import TransactionStatus
from banking.models import Account, Transaction
from banking.services import balances, ledger, totals
from banking.services.ledger import Draft
from foundation.database.inserts import insert


class NotPending(Exception):
    """The transaction was settled or released already."""


class WrongAmount(Exception):
    """The final amount of a hold is zero, or has another sign than the held amount."""


@transaction.atomic
def hold(
    row: Transaction, *, settles_at: datetime | None = None, allow_overdraft: bool = False
) -> Transaction:
    """Save an unsaved transaction as pending and hold its outgoing amount.

    `settle_due` posts it once `settles_at` has come; with None it stays until it is settled or
    released otherwise. `allow_overdraft` checks neither funds nor freeze. Raises: AccountClosed,
    AccountFrozen, InsufficientFunds.
    """
    accounts = balances.lock_accounts([row])
    if not allow_overdraft:
        balances.require_funds([row], accounts)
    row.settles_at = settles_at
    record([row], accounts)
    return row


@transaction.atomic
def settle(row: Transaction, *, at: datetime, amount_cents: int | None = None) -> Transaction:
    """Release the hold of a pending transaction and post it, with `amount_cents` if that is given.

    Raises: NotPending, WrongAmount, AccountClosed, BeforeOpening, MonthClosed.
    """
    accounts = balances.lock_accounts([row])
    row = _lock_pending(row)
    balances.hold_back([row], sign=-1)
    totals.add([row], sign=-1)
    if amount_cents is not None:
        if amount_cents * row.amount_cents <= 0:
            raise WrongAmount(f"{row} cannot settle with {amount_cents} cents")
        row.amount_cents = amount_cents
    draft = Draft([row], at, counter=ledger.counter_of([row]), description=row.description)
    ledger.record([draft], accounts)
    return row


@transaction.atomic
def release(row: Transaction) -> Transaction:
    """Mark a pending transaction as released and give back its held amount. Raises: NotPending."""
    balances.lock_accounts([row], must_be_open=False)
    row = _lock_pending(row)
    balances.hold_back([row], sign=-1)
    totals.add([row], sign=-1)
    row.status, row.settles_at = TransactionStatus.RELEASED, None
    row.save(update_fields=["status", "settles_at"])
    return row


def record(rows: Sequence[Transaction], accounts: dict[int, Account]) -> None:
    """Insert pending transactions, with holds and totals, on accounts that the caller locked."""
    for row in rows:
        row.status = TransactionStatus.PENDING
        row.business_id = balances.business_of(accounts[row.account_id])
    insert(*rows)
    balances.hold_back(rows)
    totals.add(rows)


def _lock_pending(row: Transaction) -> Transaction:
    """Return a pending transaction as it is now, its account being locked. Raises: NotPending."""
    found = Transaction.objects.pending().select_related("account").filter(pk=row.pk).first()
    if found is None:
        raise NotPending(f"{row} is not pending")
    return found

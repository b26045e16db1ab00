"""Closings of accounts by two clerks, with a payout of the balance to a named destination."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from banking.choices import CardStatus, FeedResult, TransactionType
from banking.models import Account, Card, StaffChange, Transaction, User
from banking.money import usd_text
from banking.services import (
    accounts,
    bank_operations,
    feed_changes,
    ledger,
    staff_changes,
    staff_history,
)
from banking.services.balances import AccountClosed
from banking.services.bank_operations import OperationRefused
from banking.signals import status_began

OWES = "The balance is negative. Adjust it to zero before the account is closed."
FROZEN = "The account is frozen and sends no money. Unfreeze it before it is closed."
NEEDS_DESTINATION = "The account has a balance. Name the destination of the payout."
NONE_OPEN = "The business has no open account."
CHANGED = "A balance has changed meanwhile. Confirming it now would pay out another amount."
NOT_A_TARGET = "The destination must be another open account of this business, without credit."


@transaction.atomic
def propose_closing(
    account: Account,
    *,
    destination: str = "",
    target: Account | None = None,
    closes_all: bool = False,
    reason: str,
    by: User,
    at: datetime,
) -> StaffChange:
    """Propose to close an account, or with `closes_all` every open account of its business.

    What is left goes to `target`, another open account of the business, or else outside of the
    bank to `destination`, a text that staff and customers read.
    Raises: AlreadyProposed, OperationRefused, AccountTooNew.
    """
    bank_operations.require_customer(account)
    staff_history.lock()
    rows = _lock_accounts(account, closes_all=closes_all)
    if not rows:
        raise OperationRefused(NONE_OPEN)
    where = f"{target.name} {target.masked_number}" if target else destination
    summary = [f"Close {bank_operations.name_of(one)}. {_payout_text(one, where)}" for one in rows]
    return bank_operations.propose(
        CLOSING,
        account,
        summary=summary,
        reason=reason,
        by=by,
        at=at,
        accounts=[one.pk for one in rows],
        destination=destination,
        target=target.pk if target else None,
    )


def _lock_accounts(account: Account, *, closes_all: bool) -> list[Account]:
    """Lock and return the account, or with `closes_all` every open account of its business."""
    rows = Account.objects.select_for_update(of=("self",))
    if closes_all:
        return list(rows.open().filter(business=account.business_id).order_by("pk"))
    return list(rows.filter(pk=account.pk))


def _payout_text(account: Account, where: str) -> str:
    if not account.current_cents:
        return "It is empty."
    return f"Pay out {usd_text(account.current_cents)} to: {where}"


def _basis(change: StaffChange) -> Any:
    """Return status, freeze and balances of each account: a change of any voids the proposal."""
    rows = Account.objects.filter(pk__in=change.payload["accounts"]).order_by("pk")
    return [[one.pk, one.status, one.is_frozen, one.current_cents, one.held_cents] for one in rows]


def _carry_out(change: StaffChange) -> None:
    """Pay out and close the accounts and cancel their cards; also tried out at the proposal.

    The accounts and cards are announced to the bank's systems. Locks in the order of the record
    feed: records, the business, accounts. Raises: OperationRefused, also if a balance has changed
    meanwhile; AccountClosed, AccountInUse and the errors of the ledger.
    """
    at = bank_operations.time_of(change)
    rows = list(Account.objects.filter(pk__in=change.payload["accounts"]).order_by("pk"))
    cards = list(
        Card.objects.filter(account__in=rows).exclude(status=CardStatus.CANCELED).order_by("pk")
    )
    feed_changes.announce("accounts", rows, FeedResult.UPDATED, at=at)
    feed_changes.announce("cards", cards, FeedResult.UPDATED, at=at)
    accounts.lock_business(rows[0].business_id)
    locked = Account.objects.select_for_update(of=("self",))
    rows = list(locked.filter(pk__in=[one.pk for one in rows]).order_by("pk"))
    if staff_changes.compute_digest(change) != change.digest:
        raise OperationRefused(CHANGED)  # by a posting that was made while this waited for the lock
    for row in rows:
        _require_closable(row)
        if row.current_cents:
            _pay_out(row, change)
    closed = [accounts.close_account(row, at=at) for row in rows]
    Card.objects.filter(pk__in=[card.pk for card in cards]).update(status=CardStatus.CANCELED)
    status_began.send(Account, rows=closed, at=at)


def _require_closable(account: Account) -> None:
    """Require an account that is open and not frozen, without holds or debts.

    Raises: AccountClosed, OperationRefused, AccountInUse.
    """
    if not account.is_open:
        raise AccountClosed(f"{account} is closed")
    if account.is_frozen:
        raise OperationRefused(FROZEN)
    if account.held_cents or account.transactions.pending().exists():
        raise accounts.AccountInUse(f"{account} has holds")
    if account.current_cents < 0:
        raise OperationRefused(OWES)


def _pay_out(account: Account, change: StaffChange) -> None:
    said, at = change.payload, bank_operations.time_of(change)
    key = f"payout-{change.external_id}-{account.pk}"
    by = change.settled_by
    if said["target"]:
        target = _require_target(said["target"], account, said["accounts"])
        ledger.transfer(
            source=account,
            target=target,
            amount_cents=account.current_cents,
            at=at,
            description=f"Balance of the closed account {account.masked_number}",
            by=by,
            idempotency_key=key,
        )
        return
    if not said["destination"]:
        raise OperationRefused(NEEDS_DESTINATION)
    row = Transaction(
        account=account,
        transaction_type=TransactionType.FUND_TRANSFER,
        amount_cents=-account.current_cents,
        occurred_at=at,
        category_id="TRANSFERS_OUT",
        description=f"Payout at closing: {said['destination']}"[:255],
    )
    ledger.post(row, at=at, by=by, idempotency_key=key)


def _require_target(pk: int, account: Account, closing: Sequence[int]) -> Account:
    targets = Account.objects.open().filter(business=account.business_id)
    target = targets.exclude(pk__in=closing).filter(pk=pk, credit_limit_cents=None).first()
    if target is None:
        raise OperationRefused(NOT_A_TARGET)
    return target


CLOSING = bank_operations.register(
    "CLOSE_ACCOUNT", "Closing with payout", basis=_basis, carry_out=_carry_out, model=Account
)

"""Bank operations: steps with money, accounts and cards that two clerks make.

Each is a kind of change (`staff_changes`): one clerk proposes it with a reason, and a second one
confirms it. The services of the ledger carry it out.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Final

from django.db import transaction
from django.db.models import Model

from banking.choices import StaffChangeStatus
from banking.errors import StepRefused
from banking.models import Account, StaffChange, User
from banking.services import (
    accounts,
    balances,
    holds,
    ledger,
    second_person,
    staff_changes,
    staff_history,
)
from banking.services.staff_changes import Kind

MAX_CENTS: Final = 100_000_000  # of one posting that staff type
REASONS: Final[dict[type[Exception], str]] = {
    accounts.AccountInUse: "The account has holds. They must settle or be released first.",
    balances.AccountClosed: "The account is closed.",
    balances.AccountFrozen: "The account is frozen and sends no money. Unfreeze it first.",
    balances.InsufficientFunds: "The available balance does not cover the amount.",
    holds.NotPending: "The transaction is not pending any more.",
    ledger.AlreadyReversed: "The posting is already reversed, or is itself a reversal.",
    ledger.BeforeOpening: "The account was not open yet at that time.",
    ledger.CountedAsPayment: "The posting is the payment of an invoice or a bill.",
    ledger.MonthClosed: "The month already has its statement.",
}


class OperationRefused(StepRefused):
    """The ledger, or the state of the account or card, does not allow the operation."""


class AlreadyProposed(StepRefused):
    """A proposal of the kind is open for the row."""

    message = "This is already proposed, and waits for a second person."


def register(
    name: str,
    label: str,
    *,
    model: type[Model],
    basis: Callable[[StaffChange], Any],
    carry_out: Callable[[StaffChange], None],
) -> Kind:
    """Register a kind of operation on rows of a model, and return the kind.

    `basis` returns the state that a proposal rests on: if it differs at the confirmation, the
    proposal is void. `carry_out` does the operation; an exception of the ledger that is in REASONS
    becomes OperationRefused.
    """

    def carry_out_or_refuse(change: StaffChange) -> None:
        with refusing():
            carry_out(change)

    kind = Kind(
        name,
        label,
        basis,
        carry_out_or_refuse,
        row=lambda change: model._default_manager.get(pk=change.payload["row"]),  # noqa: SLF001 - Django's name for it
        require_wait=second_person.require_wait_over,
        model=model,
    )
    return staff_changes.register(kind)


@transaction.atomic
def propose(
    kind: Kind,
    row: Model,
    *,
    summary: Sequence[str],
    reason: str,
    by: User,
    at: datetime,
    **payload: Any,
) -> StaffChange:
    """Propose an operation on a row, after a trial in a transaction that is rolled back.

    `payload` is stored with the proposal, for the functions of the kind. Raises: AlreadyProposed if
    the kind is proposed for the row already; OperationRefused if the trial fails; AccountTooNew.
    """
    staff_history.lock()
    open_ones = StaffChange.objects.filter(kind=kind.name, status=StaffChangeStatus.OPEN)
    if open_ones.filter(payload__row=row.pk).exists():
        raise AlreadyProposed
    change = staff_changes.propose(
        kind,
        payload={"row": row.pk, **payload},
        summary=[*summary, f"Reason: {reason}"],
        by=by,
        at=at,
    )
    _try_out(kind, change, by=by, at=at)
    return change


@contextmanager
def refusing() -> Iterator[None]:
    """Turn refusals of the ledger into refusals of a step. Raises: OperationRefused."""
    try:
        yield
    except tuple(REASONS) as exc:
        raise OperationRefused(REASONS[type(exc)]) from exc


def name_of(account: Account) -> str:
    """Return name, masked number and business of an account, as texts of operations have them."""
    of_business = f" of {account.business.legal_name}" if account.business else ""
    return f"{account.name} {account.masked_number}{of_business}"


def require_customer(account: Account) -> Account:
    """Return the account if it is a customer's. Raises: OperationRefused for the bank's own."""
    if account.business_id is None:
        raise OperationRefused("This is an account of the bank's own.")
    return account


def account_of(change: StaffChange) -> Account:
    """Return the account that a change is about."""
    return Account.objects.get(pk=change.payload["row"])


def state_of_account(change: StaffChange) -> list[Any]:
    """Return status and freeze of a change's account: a change of either voids the proposal.

    It is a `basis` of kinds of operations. The balance is left out, since the ledger checks it.
    """
    account = account_of(change)
    return [account.status, account.is_frozen]


def time_of(change: StaffChange) -> datetime:
    """Return the time at which a change is carried out."""
    assert change.settled_at is not None  # noqa: S101 - the change is confirmed
    return change.settled_at


def _try_out(kind: Kind, change: StaffChange, *, by: User, at: datetime) -> None:
    tried = StaffChange.objects.get(pk=change.pk)
    tried.settled_by, tried.settled_at = by, at
    with transaction.atomic():
        kind.carry_out(tried)
        transaction.set_rollback(True)

"""Staff changes: proposed by one administrator, confirmed by a second one, then carried out.

Source: the four-eyes principle of banks, as for decisions about applications.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Model

from banking.choices import StaffChangeStatus as Status
from banking.choices import StaffEventType
from banking.errors import StepRefused
from banking.models import StaffChange, User
from banking.services import second_person, staff_accounts, staff_history
from foundation.database import hash_chains


@dataclass(frozen=True)
class Kind:
    """A kind of change: its label, the values that it replaces, and how it is carried out.

    `basis` returns values that JSON can hold. `carry_out` gets a change whose basis is as it was
    when it was proposed, with `settled_by` and `settled_at`. It may refuse, and the change stays
    open; it may return details for the event of the confirmation. `row` returns a row whose page
    tells more about the change. `require_wait` refuses a person whose account is new. Operations of
    the bank have a list, and a permission, of their own; their payload has the primary key of a row
    of `model` as `row`.
    """

    name: str
    label: str
    basis: Callable[[StaffChange], Any]
    carry_out: Callable[[StaffChange], dict[str, Any] | None]
    row: Callable[[StaffChange], Model] | None = None
    require_wait: Callable[..., None] = second_person.require_administrators_wait_over
    model: type[Model] | None = None


kinds: dict[str, Kind] = {}


def register(kind: Kind) -> Kind:
    """Let changes of this kind be proposed and confirmed, and return the kind."""
    kinds[kind.name] = kind
    return kind


def list_operations() -> list[str]:
    """Return the names of the kinds that are operations of the bank."""
    return [kind.name for kind in kinds.values() if kind.model]


class OwnChange(StepRefused):
    """Nobody confirms their own proposal."""

    message = "You proposed this. Someone else must confirm it."


class ConcernsYou(StepRefused):
    """Nobody confirms a change of their own account."""

    message = "This change concerns your account. Someone else must confirm it."


class ChangeVoid(StepRefused):
    """The proposal, or the values that it replaces, changed."""

    message = "Something has changed since this was proposed, so it is void."


class ChangeSettled(StepRefused):
    """The change is no longer open."""

    message = "This proposal has already been settled."


@transaction.atomic
def propose(
    kind: Kind,
    *,
    payload: dict[str, Any],
    summary: Sequence[str],
    subject: User | None = None,
    by: User,
    at: datetime,
) -> StaffChange:
    """Propose a change to a second administrator.

    A member of staff who is the `subject` is mailed, unless they propose it. Raises: AccountTooNew.
    """
    kind.require_wait(by, at=at)
    staff_history.lock()
    change = StaffChange(
        kind=kind.name,
        subject=subject,
        payload=payload,
        summary=list(summary),
        proposed_by=by,
        proposed_at=at,
    )
    change.digest = compute_digest(change)
    change.save()
    _record(change, StaffEventType.PROPOSED, by=by, at=at)
    if subject and subject.is_staff and subject != by:
        staff_accounts.tell_proposal(subject, change.summary, at=at)
    return change


def confirm(change: StaffChange, *, by: User, at: datetime) -> StaffChange:
    """Carry out a change that another administrator proposed.

    If the proposal, the values that it replaces or the proposer's permissions changed, it is
    voided. Do not call it within a transaction: the exception would roll that back. Raises:
    OwnChange, ConcernsYou, ChangeVoid, ChangeSettled, AccountTooNew, CreatedByOther, CreatedBySame;
    and the refusals of the kind's `carry_out`, after which the change is still open.
    """
    with transaction.atomic(durable=True):
        mine = _lock_open(change)
        if mine.proposed_by_id == by.pk:
            raise OwnChange
        if mine.subject_id == by.pk:
            raise ConcernsYou
        kinds[mine.kind].require_wait(by, at=at)
        second_person.require_unrelated(mine.proposed_by, by)
        is_void = compute_digest(mine) != mine.digest
        _settle(mine, Status.VOIDED if is_void else Status.CONFIRMED, by=by, at=at)
    if is_void:
        raise ChangeVoid
    return mine


@transaction.atomic
def reject(change: StaffChange, *, by: User, at: datetime) -> StaffChange:
    """Reject the proposal of another administrator, or withdraw one's own.

    Raises: ChangeSettled.
    """
    mine = _lock_open(change)
    status = Status.WITHDRAWN if mine.proposed_by_id == by.pk else Status.REFUSED
    _settle(mine, status, by=by, at=at)
    return mine


def compute_digest(change: StaffChange) -> str:
    """Return the digest of a proposed change and of the present values that it replaces.

    The proposer's permissions are a part of it, so that proposals of former administrators lapse.
    """
    return hash_chains.compute_digest(
        [
            str(change.external_id),
            change.kind,
            change.subject_id,
            change.payload,
            change.summary,
            kinds[change.kind].basis(change),
            change.proposed_by.is_active,
            sorted(change.proposed_by.get_all_permissions()),
        ]
    )


def _lock_open(change: StaffChange) -> StaffChange:
    """Lock the end of the staff history, and then an open change; return the change as it is now.

    So a confirmation sees all that the one before has changed. Raises: ChangeSettled.
    """
    staff_history.lock()
    rows = StaffChange.objects.select_for_update(of=("self",))
    mine = rows.select_related("proposed_by", "subject").get(pk=change.pk)
    if mine.status != Status.OPEN:
        raise ChangeSettled
    return mine


def _settle(change: StaffChange, status: Status, *, by: User, at: datetime) -> None:
    change.status, change.settled_by, change.settled_at = status, by, at
    change.save(update_fields=["status", "settled_by", "settled_at"])
    done = kinds[change.kind].carry_out(change) if status == Status.CONFIRMED else None
    _record(change, StaffEventType(status.value), by=by, at=at, **(done or {}))


def _record(
    change: StaffChange, event_type: StaffEventType, *, by: User, at: datetime, **details: Any
) -> None:
    staff_history.record(
        event_type,
        by=by,
        at=at,
        change=str(change.external_id),
        kind=change.kind,
        subject=str(change.subject.external_id) if change.subject else "",
        summary=change.summary,
        digest=change.digest,
        **details,
    )

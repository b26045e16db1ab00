"""Resets of a lost second factor, which one administrator proposes and another confirms."""

from datetime import datetime

from django.db import transaction

from banking.choices import StaffChangeStatus as Status
from banking.choices import StaffEventType
from banking.errors import StepRefused
from banking.models import StaffChange, User
from banking.services import staff_accounts, staff_changes
from mcp_server.services import credential_notices, second_factor
from mcp_server.services.credential_notices import Change


class NothingToReset(StepRefused):
    """The user has no second factor."""

    message = "This person has not set up two-step verification."


class AlreadyProposed(StepRefused):
    """A proposal to reset the factor waits for a second person."""

    message = "This is proposed already. Someone else must confirm it."


@transaction.atomic
def reset(user: User, *, at: datetime) -> None:
    """Delete a user's second factor for an operator, end all sessions, and mail the user.

    Recorded in the history of staff if the user is of staff.
    """
    if user.is_staff:
        staff_accounts.record_command(StaffEventType.FACTOR_RESET, user, at=at)
    _reset(user, at=at)


@transaction.atomic
def propose_reset(user: User, *, by: User, at: datetime) -> StaffChange:
    """Propose to a second administrator to reset a second factor, and mail the user.

    Locks the user's row. Raises: AccountTooNew, AlreadyProposed, NothingToReset.
    """
    second_factor.lock(user)
    if not second_factor.is_on(user):
        raise NothingToReset
    if StaffChange.objects.filter(kind=RESET.name, subject=user, status=Status.OPEN).exists():
        raise AlreadyProposed
    summary = [f"Reset the two-step verification of {user.email}."]
    payload = {"user": user.pk}
    if not user.is_staff:
        credential_notices.announce(user, Change.RESET_PROPOSED)
    return staff_changes.propose(
        RESET, payload=payload, summary=summary, subject=user, by=by, at=at
    )


def _basis_of_reset(change: StaffChange) -> list[str]:
    user = change.payload["user"]
    return [
        f"{kind} {pk}"
        for kind, model in second_factor.FACTORS.items()
        for pk in model.objects.filter(user=user).order_by("pk").values_list("pk", flat=True)
    ]


def _reset(user: User, *, at: datetime) -> None:
    """Delete a user's second factor for the bank, end all sessions, and mail the user to enrol."""
    second_factor.delete_all(user)
    User.objects.filter(pk=user.pk).update(sessions_ended_at=at)
    if user.is_staff:
        changes = [f"The two-step verification of {user.email} was reset."]
        staff_accounts.record_extension(user, changes, at=at)
    else:
        credential_notices.announce(user, Change.RESET)


def _carry_out_reset(change: StaffChange) -> None:
    user, at = change.subject, change.settled_at
    assert user and at  # noqa: S101, PT018 - of each reset that is confirmed
    _reset(user, at=at)


RESET = staff_changes.register(
    staff_changes.Kind(
        "SECOND_FACTOR", "Reset of two-step verification", _basis_of_reset, _carry_out_reset
    )
)

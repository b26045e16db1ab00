"""Second person: the rules by which two accounts count as two people for a decision.

Without them an administrator could create two accounts, or take over a colleague's account, and
make the decision alone. The wait gives colleagues the time to notice.
"""

from collections.abc import Mapping
from datetime import datetime

from django.conf import settings

from banking.errors import StepRefused
from banking.models import User
from foundation.times import show_time


class AccountTooNew(StepRefused):
    """The account was created or extended less than SECOND_PERSON_WAIT ago."""

    def __init__(self, until: datetime) -> None:
        super().__init__(
            "Your account, your role or your two-step verification is new. You can take part in "
            f"decisions that need two people from {show_time(until)}."
        )


class CreatedByOther(StepRefused):
    """One of the two people created the account of the other, or of a creator of the other.

    The user who proposed the present email address of an account counts as its creator.
    """

    message = (
        "You created the account of the person who made this proposal or proposed its email "
        "address, or that person did so for yours, directly or through another account. A third "
        "person must confirm it."
    )


class CreatedBySame(StepRefused):
    """The accounts share a creator, directly or not, and at least one was never confirmed."""

    message = (
        "One person created your account and the account of the person who made this proposal. "
        "An administrator who created neither must confirm both accounts first."
    )


def may_still(proposer: User, permission: str) -> bool:
    """Return whether the proposer still has an active account of staff with the permission.

    A proposal of a colleague who has left, or lost the role, is void: nobody could ask them.
    """
    return proposer.is_staff and proposer.has_perm(permission)


def require_wait_over(user: User, *, at: datetime) -> None:
    """Refuse a user whose account was created or extended recently. Raises: AccountTooNew."""
    until = user.access_since + settings.SECOND_PERSON_WAIT
    if settings.SECOND_PERSON_WAIT and at < until:
        raise AccountTooNew(until)


def require_administrators_wait_over(user: User, *, at: datetime) -> None:
    """Refuse a new or extended account for changes of staff. Raises: AccountTooNew.

    Accounts that an operator created take part at once: a new bank could add nobody otherwise.
    """
    if user.created_by_id or user.access_changed_at:
        require_wait_over(user, at=at)


def require_two_people(proposer: User, second: User, *, at: datetime) -> None:
    """Refuse a second person whose account is new or related to the proposer's.

    An account is new until SECOND_PERSON_WAIT is over. Two are related if one created the other,
    directly or not, or if they share a creator and are not both confirmed. Runs one database query.
    Raises: AccountTooNew, CreatedByOther, CreatedBySame.
    """
    require_wait_over(second, at=at)
    require_unrelated(proposer, second)


def require_unrelated(first: User, second: User) -> None:
    """Refuse two accounts of which one created the other, directly or not, or that share a creator.

    Accounts that share a creator pass if a second person confirmed each of them. Runs one database
    query. Raises: CreatedByOther, CreatedBySame.
    """
    created = User.objects.filter(created_by__isnull=False).values_list("pk", "created_by")
    creators = dict(created)
    of_first, of_second = _creators_of(first, creators), _creators_of(second, creators)
    if second.pk in of_first or first.pk in of_second:
        raise CreatedByOther
    are_confirmed = first.confirmed_by_id and second.confirmed_by_id
    if of_first & of_second and not are_confirmed:
        raise CreatedBySame


def _creators_of(user: User, creators: Mapping[int, int | None]) -> set[int]:
    """Return the creator of an account, the creator of that creator's account, and so on."""
    found: set[int] = set()
    creator = creators.get(user.pk)
    while creator is not None and creator not in found:  # a cycle would never end
        found.add(creator)
        creator = creators.get(creator)
    return found

"""The second person: whose accounts count as the two people of a decision.

Otherwise an administrator could create two accounts, or take over a colleague's account, and make
the decision of two people alone. The wait gives others the time to notice.
"""

from datetime import datetime

from django.conf import settings
from django.utils.timezone import localtime

from banking.models import User
from onboarding.services.reviews import StepRefused


class AccountTooNew(StepRefused):
    """The account was created or extended less than SECOND_PERSON_WAIT ago."""

    def __init__(self, until: datetime) -> None:
        super().__init__(
            "Your account, its role or its second factor is new. You can take part in decisions "
            f"that need two people from {localtime(until):%b %-d, %H:%M} UTC on."
        )


class CreatedByOther(StepRefused):
    """One of the two people created the account of the other."""

    def __init__(self) -> None:
        super().__init__(
            "You or the person who proposed this created the other's account: a third person "
            "must confirm it."
        )


def require_wait_over(user: User, *, at: datetime) -> None:
    """Refuse a user whose account was created or extended recently. Raises: AccountTooNew."""
    until = user.access_since + settings.SECOND_PERSON_WAIT
    if settings.SECOND_PERSON_WAIT and at < until:
        raise AccountTooNew(until)


def require_two_people(proposer: User, second: User, *, at: datetime) -> None:
    """Refuse a second person who does not count beside the proposer.

    Raises: AccountTooNew, CreatedByOther.
    """
    require_wait_over(second, at=at)
    if proposer.created_by_id == second.pk or second.created_by_id == proposer.pk:
        raise CreatedByOther

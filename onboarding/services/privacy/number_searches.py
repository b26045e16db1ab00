"""Number searches: searches by personal numbers, each recorded as a staff event."""

from datetime import datetime

from django.db import transaction

from banking.choices import StaffEventType
from banking.models import User
from banking.services import staff_history
from onboarding.models.people import LAST_FOUR
from onboarding.queries.everything import Asked, Group, search_everything


@transaction.atomic
def search_and_record(asked: Asked, *, by: User, at: datetime) -> list[Group]:
    """Return the results of a search, by kind; record a staff event if it sought a personal number.

    The event says how many digits were searched and how many rows were found, never the number.
    """
    groups = search_everything(asked)
    if asked.may_search_numbers and asked.is_personal_number:
        is_part = len(asked.digits) == LAST_FOUR
        staff_history.record(
            StaffEventType.NUMBER_SEARCHED,
            by=by,
            at=at,
            searched="the last four digits" if is_part else "the whole number",
            found=sum(len(group.found) for group in groups),
        )
    return groups

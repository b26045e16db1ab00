"""The lifecycle: the one function that moves an application."""

from datetime import datetime
from typing import Any

from django.db import transaction

from onboarding.business_hours import add_business_hours
from onboarding.choices import DECIDED, StatusGroup
from onboarding.choices import ApplicationStatus as Status
from onboarding.errors import ErrorCode, Refused
from onboarding.event_types import EVENT_BY_STATUS, EventType
from onboarding.models import Application
from onboarding.queries.leads import lock_application
from onboarding.services.events.history import END_OF_CHAIN, Actor, History

HOURS_TO_TOUCH = 2  # business hours within which staff look at what came to them
ANSWERS = {Status.SUBMITTED, Status.IN_REVIEW, Status.DOCUMENTS_REQUIRED}  # to who are you


class InvalidMove(Refused):
    """A move that the state machine has not, or that somebody else made first."""

    code = ErrorCode.INVALID_TRANSITION

    def __str__(self) -> str:
        params = self.faults[0].params
        return f"The application is {params['source']} and cannot become {params['target']}."


@transaction.atomic
def move(
    application: Application, target: Status, *, by: Actor, at: datetime, **details: Any
) -> None:
    """Move to `target` and write down who did it, why, and what the partner is told.

    Of two movers at once the second gets InvalidMove, and so does who may not make the move.
    `details` go into the event: identifiers and reasons, never a personal value.
    """
    source = Status(application.status)
    if by.role not in source.movers(target):
        raise InvalidMove(source=source, target=target)
    lead = application.lead
    locked = lock_application(lead=lead)
    unmoved = Application.objects.filter(pk=application.pk, status=source, is_current=True)
    values = {"status": target, "status_changed_at": at, "reminders_sent": 0}
    values |= _review_clock(source, target, at)
    if not locked or not unmoved.update(**values):
        raise InvalidMove(source=source, target=target)
    for name in END_OF_CHAIN:
        setattr(lead, name, getattr(locked.lead, name))
    for name, value in values.items():
        setattr(application, name, value)
    history = History(lead, by=by, at=at)
    for event_type in _events_of_move(source, target):
        history.add(event_type, application, previous_status=source, **details)
    history.save_with_lead()


def _review_clock(source: Status, target: Status, at: datetime) -> dict[str, Any]:
    """Return what a move changes about who reviews, since when, and until when it is promised.

    What follows a temporary approval was no review, whose time would count.
    """
    values: dict[str, Any] = {}
    if target is Status.IN_REVIEW:
        due_at = add_business_hours(at, HOURS_TO_TOUCH)
        values |= {"review_began_at": at, "touched_at": None, "due_at": due_at}
    elif source is Status.IN_REVIEW:
        values |= {"due_at": None}
    elif source is Status.APPROVED_TEMPORARY:
        values |= {"review_began_at": None, "touched_at": None}
    if target in DECIDED:
        values |= {"decided_at": at}
    if target in DECIDED or target.group is StatusGroup.CLOSED:
        values |= {"claimed_by": None, "claimed_until": None}
    return values


def _events_of_move(source: Status, target: Status) -> list[EventType]:
    """Return the events of a move: an answer to who somebody is comes before what follows it."""
    if source is not Status.ID_VERIFICATION or target not in ANSWERS:
        return [EVENT_BY_STATUS[target]]
    answered = [EventType.IDENTITY_COMPLETED]
    return answered if target is Status.SUBMITTED else [*answered, EVENT_BY_STATUS[target]]

"""Lifecycle: transitions of applications between statuses, with their events."""

from datetime import datetime
from typing import Any

from django.db import transaction

from onboarding.business_hours import add_business_hours
from onboarding.choices import DECIDED, RoutedWork, StatusGroup
from onboarding.choices import ApplicationStatus as Status
from onboarding.errors import ErrorCode, Refused
from onboarding.event_types import EVENT_BY_STATUS, EventType
from onboarding.models import Application
from onboarding.queries.leads import lock_application
from onboarding.queries.reminders import first_look
from onboarding.services import routing
from onboarding.services.applications import referrals
from onboarding.services.events.history import AUDIT_CHAIN_FIELDS, Actor, History
from onboarding.services.notifications import notify_answer

HOURS_TO_TOUCH = 2  # business hours until the first step of staff in a review is due
RETURNED = {Status.SUBMITTED, Status.IN_REVIEW}  # from the applicant to the bank
ANSWERS = {Status.SUBMITTED, Status.IN_REVIEW, Status.DOCUMENTS_REQUIRED}  # identity proved


class InvalidMove(Refused):
    """The state machine or the role does not allow the move, or the status changed meanwhile."""

    code = ErrorCode.INVALID_TRANSITION

    def __str__(self) -> str:
        params = self.faults[0].params
        return f"The application is {params['source']} and cannot become {params['target']}."


@transaction.atomic
def move(
    application: Application, target: Status, *, by: Actor, at: datetime, **details: Any
) -> None:
    """Change the status to `target`, and record the events of the move. Locks the lead's row.

    Saves the application, assigns a case that begins its review, and notifies the assignee of an
    answer. `details` are stored in the events: identifiers and reasons, never personal values.
    Raises: InvalidMove, also for the second of two concurrent moves.
    """
    source = Status(application.status)
    if by.role not in source.roles_moving_to(target):
        raise InvalidMove(source=source, target=target)
    lead = application.lead
    locked = lock_application(lead=lead)
    unmoved = Application.objects.filter(pk=application.pk, status=source, is_current=True)
    values: dict[str, Any] = {"status": target, "status_changed_at": at, "reminders_sent": 0}
    values["remind_at"] = first_look(target, at=at)
    values |= _review_clock(source, target, at)
    if not locked or not unmoved.update(**values):
        raise InvalidMove(source=source, target=target)
    for name in AUDIT_CHAIN_FIELDS:
        setattr(lead, name, getattr(locked.lead, name))
    for name, value in values.items():
        setattr(application, name, value)
    history = History(lead, by=by, at=at)
    for event_type in _events_of_move(source, target):
        history.add(event_type, application, previous_status=source, **details)
    history.save_with_lead()
    _follow_up(application, is_answer=bool(values.get("returned_at")), at=at)


def _follow_up(application: Application, *, is_answer: bool, at: datetime) -> None:
    """Assign a case, notify its assignee or update a referral, by the new status of an application.

    A case in IN_REVIEW is assigned by the routing rules, the assignee is notified of an answer of
    the applicant, and the referral of an application in IN_PROGRESS is marked as registered.
    """
    if application.status == Status.IN_REVIEW:
        routing.route(application, RoutedWork.CASE, at=at)
    if is_answer:
        notify_answer(application, at=at)
    if application.status == Status.IN_PROGRESS:
        referrals.follow_start(application, at=at)


def _review_clock(source: Status, target: Status, at: datetime) -> dict[str, Any]:
    """Return the columns about the review that a move changes, by name.

    They are the claim and the times of start, first touch, due date, decision and the applicant's
    answer. A move from APPROVED_TEMPORARY also clears the alert about a new screening hit.
    """
    values: dict[str, Any] = {}
    if target is Status.IN_REVIEW:
        due_at = add_business_hours(at, HOURS_TO_TOUCH)
        values |= {"review_began_at": at, "touched_at": None, "due_at": due_at}
    elif source is Status.IN_REVIEW:
        values |= {"due_at": None}
    elif source is Status.APPROVED_TEMPORARY:
        values |= {"review_began_at": None, "touched_at": None}
        values |= {"new_hit_at": None, "due_at": None}
    if target in DECIDED:
        values |= {"decided_at": at}
    if source.group is StatusGroup.ACTION_REQUIRED and target in RETURNED:
        values |= {"returned_at": at}
    if target in DECIDED or target.group is StatusGroup.CLOSED:
        values |= {"claimed_by": None, "claimed_until": None, "returned_at": None}
    return values


def _events_of_move(source: Status, target: Status) -> list[EventType]:
    """Return the event types of a move; IDENTITY_COMPLETED precedes the event of the new status."""
    if source is not Status.ID_VERIFICATION or target not in ANSWERS:
        return [EVENT_BY_STATUS[target]]
    answered = [EventType.IDENTITY_COMPLETED]
    return answered if target is Status.SUBMITTED else [*answered, EVENT_BY_STATUS[target]]

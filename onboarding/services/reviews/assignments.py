"""Assignments: the assignee of a case until the case ends, and the hand-over to a colleague."""

from datetime import datetime

from django.conf import settings
from django.db import transaction

from banking.errors import StepRefused
from banking.models import User
from onboarding.choices import NotificationKind
from onboarding.event_types import EventType
from onboarding.models import Application, CustomerCase
from onboarding.queries.staff import REASSIGN, may_review
from onboarding.services.events import history
from onboarding.services.notifications import notify
from onboarding.services.reviews import cases


class NotReviewer(StepRefused):
    """A case cannot be assigned to a user without the permission to review."""

    message = "Choose an active member of staff who can review cases."


class NotAssignee(StepRefused):
    """The user is not the assignee, and has no permission to hand over the cases of others."""

    message = "This case is not assigned to you. Ask an approver to hand it over."


def may_hand_over(case: Application | CustomerCase, *, by: User) -> bool:
    """Return whether a user is the assignee of the case, or may hand over the cases of others."""
    return case.assignee_id == by.pk or by.has_perm(REASSIGN)


@transaction.atomic
def reassign(
    application: Application, *, to: User, note: str = "", by: User, at: datetime
) -> Application:
    """Hand a case over to a colleague, with the claim and a note for staff.

    An assignee without the permission to hand over the cases of others waits until the claim of a
    colleague ends.
    Raises: NotReviewer, NotAssignee, NotClaimable, ClaimedByAnother, Superseded.
    """
    if not may_review(to):
        raise NotReviewer
    locked = cases.lock(application)
    if locked.status not in cases.CLAIMABLE:
        raise cases.NotClaimable
    require_right(locked, by=by, at=at)
    details = {"to": str(to.external_id)}
    if locked.assignee:
        details["from"] = str(locked.assignee.external_id)
    if note.strip():
        details["note_id"] = str(cases.write_note(locked, note, by=by, at=at).external_id)
    locked.assignee = locked.claimed_by = to  # the colleague has not touched the case yet
    locked.claimed_until = at + settings.CLAIM_LIFETIME
    locked.save(update_fields=["assignee", "claimed_by", "claimed_until"])
    history.record(locked, EventType.REASSIGNED, by=cases.actor(by), at=at, **details)
    notify(NotificationKind.HANDED_OVER, [to], application=locked, by=by, at=at)
    return locked


def require_right(case: Application | CustomerCase, *, by: User, at: datetime) -> None:
    """Require that the user may hand the case over now. Raises: NotAssignee, ClaimedByAnother."""
    if by.has_perm(REASSIGN):
        return
    if case.assignee_id != by.pk:
        raise NotAssignee
    until = case.claimed_until
    if until and until > at and case.claimed_by_id != by.pk:
        raise cases.ClaimedByAnother(until)

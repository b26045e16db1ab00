"""Escalations: ask a colleague or the approvers about a case, and answer."""

from datetime import datetime

from django.db import transaction

from banking.errors import StepRefused
from banking.models import User
from onboarding.choices import NotificationKind
from onboarding.event_types import EventType
from onboarding.models import Application, Escalation
from onboarding.queries.escalations import find_open, may_answer
from onboarding.queries.staff import CONFIRM, list_permitted, may_review
from onboarding.services.events import history
from onboarding.services.notifications import notify
from onboarding.services.reviews import cases

APPROVERS = "APPROVERS"  # instead of a person's id, in events


class EscalationOpen(StepRefused):
    """A question about the case waits for its answer."""

    message = "This case is escalated already. The question must be answered first."


class NotToAsk(StepRefused):
    """The user who was chosen cannot answer."""

    message = "Choose another active member of staff who can review cases."


class NotAsked(StepRefused):
    """The user is neither an approver nor the person who was asked."""

    message = "Somebody else was asked."


class AlreadyAnswered(StepRefused):
    """Somebody answered the question meanwhile."""

    message = "This question has been answered meanwhile."


@transaction.atomic
def escalate(
    application: Application, *, to: User | None, question: str, by: User, at: datetime
) -> Escalation:
    """Ask a colleague, or with None any approver, about a case.

    The case stays assigned, and the claim ends, so that the person who is asked can claim it.
    Raises: NotToAsk, Incomplete, NotClaimed, EscalationOpen, Superseded.
    """
    if to is not None and (to.pk == by.pk or not may_review(to)):
        raise NotToAsk
    if not question.strip():
        raise cases.Incomplete("Enter a question.")
    locked = cases.begin_step(application, by=by, at=at)
    if find_open(locked):
        raise EscalationOpen
    escalation = Escalation.objects.create(
        application=locked, to=to, question=question.strip(), asked_by=by, asked_at=at
    )
    locked.claimed_by = locked.claimed_until = None
    locked.save(update_fields=["claimed_by", "claimed_until"])
    details = {"to": str(to.external_id) if to else APPROVERS, **_named(escalation)}
    history.record(locked, EventType.ESCALATED, by=cases.actor(by), at=at, **details)
    asked = [to] if to else list_permitted(CONFIRM)
    notify(NotificationKind.ESCALATED, asked, application=locked, by=by, at=at)
    return escalation


@transaction.atomic
def answer(escalation: Escalation, *, text: str, by: User, at: datetime) -> Escalation:
    """Answer a question about a case.

    Unless the user is the assignee, the case returns to its assignee, and the user's claim ends.
    Raises: Incomplete, AlreadyAnswered, NotAsked, Superseded.
    """
    if not text.strip():
        raise cases.Incomplete("Enter an answer.")
    locked = cases.lock(escalation.application)
    mine = Escalation.objects.get(pk=escalation.pk)
    if mine.answered_at:
        raise AlreadyAnswered
    if not may_answer(mine, by=by):
        raise NotAsked
    mine.answer, mine.answered_by, mine.answered_at = text.strip(), by, at
    mine.save(update_fields=["answer", "answered_by", "answered_at"])
    if locked.assignee_id != by.pk:
        _return(locked, by=by, at=at)
    history.record(locked, EventType.ESCALATION_ANSWERED, by=cases.actor(by), at=at, **_named(mine))
    notify(NotificationKind.ANSWERED, [mine.asked_by], application=locked, by=by, at=at)
    return mine


def _return(application: Application, *, by: User, at: datetime) -> None:
    """Mark the case as answered for its assignee, and end the claim of the user."""
    application.returned_at = at
    if application.claimed_by_id == by.pk:
        application.claimed_by = application.claimed_until = None
    application.save(update_fields=["returned_at", "claimed_by", "claimed_until"])


def _named(escalation: Escalation) -> dict[str, str]:
    return {"escalation_id": str(escalation.external_id)}

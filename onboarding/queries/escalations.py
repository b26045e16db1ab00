"""Escalations: the questions of staff that wait for an answer."""

from django.db.models import Q, QuerySet

from banking.models import User
from onboarding.models import Application, Escalation
from onboarding.queries.staff import CONFIRM


def open_escalations() -> QuerySet[Escalation]:
    """Return the questions that nobody has answered yet."""
    return Escalation.objects.filter(answered_at=None)


def find_open(application: Application) -> Escalation | None:
    """Return the question about a case that waits for its answer; None if there is none."""
    return open_escalations().filter(application=application).first()


def list_asked(user: User) -> QuerySet[Escalation]:
    """Return the open questions that a user was asked.

    Questions to any approver are among them if the user is an approver and did not ask them.
    """
    asked = Q(to=user)
    if user.has_perm(CONFIRM):
        asked |= Q(to=None) & ~Q(asked_by=user)
    return open_escalations().filter(asked)


def may_answer(escalation: Escalation, *, by: User) -> bool:
    """Return whether a user may answer: as the person asked, as the asker, or as an approver.

    The asker withdraws the question by answering it.
    """
    return by.pk in {escalation.to_id, escalation.asked_by_id} or by.has_perm(CONFIRM)

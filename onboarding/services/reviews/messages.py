"""Messages between staff and the applicant of a case."""

from datetime import datetime

from django.db import transaction

from banking.errors import StepRefused
from banking.models import User
from onboarding.event_types import EventType
from onboarding.models import Application, Note, Reply
from onboarding.queries.messages import can_reply
from onboarding.services.events import history
from onboarding.services.events.history import APPLICANT
from onboarding.services.reviews import cases

LONGEST_REPLY = 2000  # characters


class NotAnswerable(StepRefused):
    """There is no message, or it was answered as often as it may be."""

    message = "This message cannot be answered any more."


class NothingToRead(StepRefused):
    """No answer waits to be read."""

    message = "There is no new answer."


@transaction.atomic
def send_message(application: Application, text: str, *, by: User, at: datetime) -> Note:
    """Send a message to the applicant, by mail and on the status page.

    This takes the case out of the queue of answers from applicants.

    Raises: Incomplete.
    """
    note = cases.add_note(application, text, is_for_applicant=True, by=by, at=at)
    Application.objects.filter(pk=note.application_id).update(answered_at=None)
    return note


@transaction.atomic
def add_reply(application: Application, text: str, *, at: datetime) -> Reply:
    """Save an applicant's answer, which puts the case into the queue of answers.

    A text over LONGEST_REPLY is cut. Raises: NotAnswerable for an empty text, without a message of
    the bank, and after MAX_REPLIES answers to its newest message.
    """
    text = text.strip()[:LONGEST_REPLY]
    locked = cases.lock_any(application)
    if not text or not can_reply(locked):
        raise NotAnswerable
    reply = Reply.objects.create(application=locked, text=text, at=at)
    Application.objects.filter(pk=locked.pk).update(answered_at=at)
    details = {"reply_id": str(reply.external_id)}
    history.record(locked, EventType.MESSAGE_ANSWERED, by=APPLICANT, at=at, **details)
    return reply


@transaction.atomic
def mark_read(application: Application, *, by: User, at: datetime) -> None:
    """Mark the applicant's answer as read, without sending a message, and record an event.

    The case leaves the queue of answers. Raises: NothingToRead.
    """
    locked = cases.lock_any(application)
    unread = Application.objects.filter(pk=locked.pk, answered_at__isnull=False)
    if not unread.update(answered_at=None):
        raise NothingToRead
    history.record(locked, EventType.ANSWER_READ, by=cases.actor(by), at=at)

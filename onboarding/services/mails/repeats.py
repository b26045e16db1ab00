"""Mails that staff send again, with a reason that is recorded."""

from datetime import datetime

from django.db import transaction

from banking.errors import StepRefused
from banking.models import User
from onboarding.choices import MailStatus
from onboarding.event_types import EventType, MailKind
from onboarding.models import Mail
from onboarding.services.events import history
from onboarding.services.mails import outbox
from onboarding.services.reviews.cases import Incomplete, actor, lock_any

SHORTEST_REASON = 5  # characters


class NotRepeatable(StepRefused):
    """The mail has a code, waits to be sent, or was cancelled."""

    message = "This mail cannot be sent again. Codes are asked for anew by the applicant."


@transaction.atomic
def send_again(mail: Mail, *, reason: str, by: User, at: datetime) -> Mail:
    """Queue a failed mail again, or a new mail like a sent mail, and return the queued mail.

    Its text is written from the present data. An event of the lead, if the mail is about one,
    records who and why. Raises: Incomplete for a reason that is too short, NotRepeatable.
    """
    reason = reason.strip()
    if len(reason) < SHORTEST_REASON:
        raise Incomplete(f"Say why, in {SHORTEST_REASON} characters or more.")
    if not mail.may_be_sent_again:
        raise NotRepeatable
    if mail.status == MailStatus.FAILED and not mail.send_again(at=at):
        raise NotRepeatable
    queued = mail if mail.status == MailStatus.FAILED else _repeat(mail, at=at)
    if mail.application:
        locked = lock_any(mail.application)
        details = {"mail": MailKind(mail.kind).value, "mail_id": str(mail.external_id)}
        history.record(
            locked, EventType.MAIL_REPEATED, by=actor(by), at=at, reason=reason, **details
        )
    return queued


def _repeat(mail: Mail, *, at: datetime) -> Mail:
    """Queue a mail of the same kind to the same person, without the event of the former mail."""
    return outbox.queue(
        MailKind(mail.kind),
        application=mail.application,
        owner=mail.owner,
        user=mail.user,
        language=mail.language,
        at=at,
    )

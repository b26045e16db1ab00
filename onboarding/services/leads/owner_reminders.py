"""Owner reminders: mails to owners who were asked for their own part, and their end on request.

`remind_at` says when to look at an invitation again, as with `applications.reminders`.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from onboarding.choices import ApplicationStatus as Status
from onboarding.event_types import EventType, MailKind
from onboarding.models import Application, Owner, OwnerInvitation
from onboarding.queries.leads import list_owners, lock_application
from onboarding.services.applications.expiry import Outcome, each
from onboarding.services.events import history
from onboarding.services.events.history import CLOCK
from onboarding.services.leads.owner_invitations import renew
from onboarding.services.mails import outbox

DAY = timedelta(days=1)


def list_due(*, at: datetime, **wanted: Any) -> QuerySet[Application]:
    """Return the current applications with an owner whose `remind_at` has come.

    `wanted` are further filters of applications. Not every such owner gets a reminder.
    """
    due = OwnerInvitation.objects.filter(remind_at__lte=at).values("owner__lead")
    return Application.objects.filter(lead__in=due, is_current=True, **wanted)


def remind_due(*, at: datetime, **wanted: Any) -> Iterator[Outcome]:
    """Queue due reminders: one mail per owner, however many reminders were missed.

    Works while it is iterated, with a transaction for each application. Yields an outcome for each
    application of which an owner was reminded, and for each that failed.
    """
    return each(list_due(at=at, **wanted), partial(_remind_owners, at=at))


def count_due(*, at: datetime) -> int:
    """Return the number of applications of which `remind_due` would remind an owner."""
    due = list_due(at=at).select_related("lead__partner")
    return sum(
        any(_is_due(one, at) and _is_wanted(found, one, at) for one in list_owners(found.lead))
        for found in due.iterator()
    )


@transaction.atomic
def _remind_owners(pk: int, *, at: datetime) -> bool:
    """Remind the owners of an application who are due; return whether any owner was reminded."""
    application = lock_application(pk=pk)
    if application is None:
        return False
    owners = [one for one in list_owners(application.lead) if _is_due(one, at)]
    reminded = [owner for owner in owners if _remind(application, owner, at)]
    return bool(reminded)


def _is_due(owner: Owner, at: datetime) -> bool:
    if owner.invitation_status is None:
        return False
    remind_at = owner.invitation.remind_at
    return remind_at is not None and remind_at <= at


def _remind(application: Application, owner: Owner, at: datetime) -> bool:
    """Queue and record a reminder to an owner if it is wanted; return whether it was.

    Sets the time of the owner's next reminder in both cases. A reminder replaces an expired link.
    """
    invitation = owner.invitation
    times = _times(invitation)
    is_wanted = _is_wanted(application, owner, at)
    invitation.reminders_sent = sum(due_at <= at for due_at in times)
    is_open = owner.is_waited_for and Status(application.status).is_editable
    later = (due_at for due_at in times if due_at > at)
    invitation.remind_at = next(later, None) if is_open else None
    invitation.save(update_fields=["reminders_sent", "remind_at"])
    if not is_wanted:
        return False
    if invitation.link_expires_at <= at:
        renew(application, invitation, by=CLOCK, at=at)
    event = history.record(
        application, EventType.OWNER_REMINDED, by=CLOCK, at=at, ubo_id=str(owner.external_id)
    )
    outbox.queue(
        MailKind.OWNER_REMINDER,
        application=application,
        owner=owner,
        event=event,
        language=invitation.language,
        at=at,
    )
    return True


def _times(invitation: OwnerInvitation) -> list[datetime]:
    """Return when the reminders of an invitation are due."""
    return [invitation.invited_at + number * DAY for number in settings.OWNER_REMINDER_DAYS]


def _is_wanted(application: Application, owner: Owner, at: datetime) -> bool:
    """Return whether another reminder is due to an owner who has not completed their part.

    Not after the submission, if the applicant reminded the owner less than a day ago, if the owner
    stopped the reminders, or if the partner wants none.
    """
    invitation = owner.invitation
    if sum(due_at <= at for due_at in _times(invitation)) <= invitation.reminders_sent:
        return False
    if not (owner.is_waited_for and Status(application.status).is_editable):
        return False
    if invitation.reminders_stopped_at or not application.lead.partner.sends_nudges:
        return False
    return invitation.reminded_at is None or invitation.reminded_at <= at - DAY


def switch_reminders(invitation: OwnerInvitation, *, is_on: bool, at: datetime) -> None:
    """Stop the automatic reminders to an owner, or resume them."""
    invitation.reminders_stopped_at = None if is_on else at
    invitation.save(update_fields=["reminders_stopped_at"])

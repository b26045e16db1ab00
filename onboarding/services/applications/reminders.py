"""Reminders: mails to applicants whose application waits for them, unless they stop the mails.

`remind_at` says when to look at an application again. It may be too early, for example after
activity that moved the reminders, and then only a later time is saved.
"""

import logging
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from onboarding.event_types import EventType
from onboarding.models import Application
from onboarding.queries.applications import get_reading_language
from onboarding.queries.leads import lock_application
from onboarding.queries.reminders import Reminder, list_reminders
from onboarding.services.applications.expiry import BATCH_SIZE, UNSUBMITTED, Outcome
from onboarding.services.events import history
from onboarding.services.events.history import APPLICANT, CLOCK
from onboarding.services.mails import outbox

logger = logging.getLogger(__name__)

RETRY = timedelta(hours=1)  # after a fault


def list_due(*, at: datetime, **wanted: Any) -> QuerySet[Application]:
    """Return the current applications whose `remind_at` has come and that match filters `wanted`.

    Not each of them has a due reminder: see `find_due`.
    """
    return Application.objects.filter(remind_at__lte=at, is_current=True, **wanted)


def count_due(*, at: datetime) -> int:
    """Return the number of reminders that `remind_due` would queue."""
    due = list_due(at=at).select_related("lead__partner")
    return sum(find_due(application, at=at) is not None for application in due.iterator())


def find_due(application: Application, *, at: datetime) -> Reminder | None:
    """Return the newest due reminder of an application, unless it was sent or is not wanted.

    After the deadline nothing is due, even before the application is expired.
    """
    due = [one for one in list_reminders(application) if one.due_at <= at]
    is_over = application.deadline is not None and application.deadline <= at
    if is_over or len(due) <= application.reminders_sent or not _is_wanted(application):
        return None
    return due[-1]


def remind_due(*, at: datetime, **wanted: Any) -> Iterator[Outcome]:
    """Queue due reminders: one mail per application, however many reminders were missed.

    Works while the result is iterated, in one transaction per application; `wanted` are filters.
    Yields an outcome for each queued mail and each failure, which is retried after RETRY.
    """
    due = list_due(at=at, **wanted).order_by("remind_at", "pk").values_list("pk", "external_id")
    while batch := list(due[:BATCH_SIZE]):
        for pk, external_id in batch:
            yield from _try(pk, external_id, at=at)


def _try(pk: int, external_id: UUID, *, at: datetime) -> Iterator[Outcome]:
    try:
        is_done = _remind(pk, at=at)
    except Exception as exc:
        logger.exception("the clock failed at application %s", external_id)
        Application.objects.filter(pk=pk).update(remind_at=at + RETRY)
        yield Outcome(external_id, fault=type(exc).__name__)
    else:
        if is_done:
            yield Outcome(external_id)


@transaction.atomic
def _remind(pk: int, *, at: datetime) -> bool:
    """Queue and record the newest due reminder of an application; return whether there was one.

    Sets `remind_at` in any case. False also if another worker has just done so.
    """
    application = lock_application(pk=pk, remind_at__lte=at)
    if application is None:
        return False
    reminder = find_due(application, at=at)
    times = [one.due_at for one in list_reminders(application)]
    application.reminders_sent = sum(due_at <= at for due_at in times)
    application.remind_at = _next_look(application, times, at)
    application.save(update_fields=["reminders_sent", "remind_at"])
    if reminder is None:
        return False
    number = application.reminders_sent
    event = history.record(application, EventType.REMINDED, by=CLOCK, at=at, reminder=number)
    language = get_reading_language(application)
    outbox.queue(reminder.kind, application=application, event=event, language=language, at=at)
    return True


def _next_look(application: Application, times: list[datetime], at: datetime) -> datetime | None:
    """Return when to look for a due reminder again: the first time after `at`, or None.

    `times` are the times of all reminders. After the last one it is the application's deadline,
    because activity until then can move the reminders and the deadline.
    """
    later = [*times, application.deadline]
    return next((one for one in later if one and one > at), None)


def _is_wanted(application: Application) -> bool:
    """Return whether the application may get reminders.

    True after the submission. Before it, False if the partner sends none or the applicant has
    stopped them.
    """
    if application.status not in UNSUBMITTED:
        return True
    return application.nudges_stopped_at is None and application.lead.partner.sends_nudges


@transaction.atomic
def switch_nudges(application: Application, *, is_on: bool, at: datetime) -> None:
    """Stop the applicant's reminders before the submission, or resume them if `is_on`.

    Records an event, unless they were stopped or resumed already.
    """
    locked = lock_application(pk=application.pk, nudges_stopped_at__isnull=not is_on)
    if locked is None:
        return
    locked.nudges_stopped_at = None if is_on else at
    locked.save(update_fields=["nudges_stopped_at"])
    change = EventType.NUDGES_RESUMED if is_on else EventType.NUDGES_STOPPED
    history.record(locked, change, by=APPLICANT, at=at)

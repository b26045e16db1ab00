"""Reminders: mails to applicants whose application waits for them."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet

from onboarding.event_types import EventType, MailKind
from onboarding.models import Application
from onboarding.queries.applications import get_reading_language
from onboarding.queries.leads import lock_application
from onboarding.services.applications.expiry import WAITING, Outcome, each
from onboarding.services.events import history
from onboarding.services.events.history import CLOCK
from onboarding.services.mails import outbox


def list_due(*, at: datetime, **wanted: Any) -> QuerySet[Application]:
    """Return the current applications with a due reminder that match the filters `wanted`."""
    return Application.objects.filter(_due(at), is_current=True, **wanted)


def remind_waiting(*, at: datetime, **wanted: Any) -> Iterator[Outcome]:
    """Queue due reminders: one mail per application, however many reminders were missed."""
    return each(list_due(at=at, **wanted), partial(_remind, at=at))


def _due(at: datetime) -> Q:
    """Return the condition for a due reminder: fewer were sent than REMINDER_DAYS have passed."""
    is_due = Q()
    for number, days in enumerate(settings.REMINDER_DAYS, 1):
        is_due |= Q(reminders_sent__lt=number, status_changed_at__lte=at - timedelta(days=days))
    is_open = Q(status_changed_at__gt=at - settings.ACTION_LIFETIME)
    return Q(status__in=WAITING) & is_open & is_due


@transaction.atomic
def _remind(pk: int, *, at: datetime) -> bool:
    """Queue the newest due reminder and record it, unless another worker did."""
    application = lock_application(pk=pk)
    if application is None:
        return False
    waited = at - application.status_changed_at
    number = sum(waited >= timedelta(days=days) for days in settings.REMINDER_DAYS)
    if not Application.objects.filter(_due(at), pk=pk).update(reminders_sent=number):
        return False
    application.reminders_sent = number
    event = history.record(application, EventType.REMINDED, by=CLOCK, at=at, reminder=number)
    language = get_reading_language(application)
    outbox.queue(MailKind.REMINDER, application=application, event=event, language=language, at=at)
    return True

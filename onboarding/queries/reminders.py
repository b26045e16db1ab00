"""Reminders: which mails an application gets while it waits for its applicant, and when."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import StatusGroup
from onboarding.event_types import MailKind
from onboarding.models import Application


@dataclass(frozen=True, order=True)
class Reminder:
    """A mail to the applicant, and its due time."""

    due_at: datetime
    kind: MailKind


def list_reminders(application: Application) -> list[Reminder]:
    """Return all reminders of an application in its present status, the first due first.

    Reminders whose time has passed are included. Empty for an application without a deadline.
    Activity of the applicant or the partner moves the times of later reminders.
    """
    deadline = application.deadline
    if deadline is None:
        return []
    began = application.status_changed_at
    reminders = _list_all(application, deadline)
    return sorted(one for one in reminders if began < one.due_at < deadline)


def first_look(status: Status, *, at: datetime) -> datetime | None:
    """Return when to look first for reminders of a status that begins at `at`; None without any."""
    if status.is_editable:
        return at + timedelta(days=settings.NUDGE_DAYS[0])
    if status.group is StatusGroup.ACTION_REQUIRED:
        return at + timedelta(days=settings.REMINDER_DAYS[0])
    return at if status is Status.APPROVED_TEMPORARY else None


def _list_all(application: Application, deadline: datetime) -> Iterator[Reminder]:
    status, began = Status(application.status), application.status_changed_at
    if status.is_editable:
        stopped = max(began, application.entered_at or began)
        yield from _after(stopped, settings.NUDGE_DAYS, MailKind.NUDGE)
        yield from _before(deadline, settings.ENDING_DAYS["unsubmitted"], MailKind.ENDING)
    elif status is Status.APPROVED_TEMPORARY:
        days = settings.ENDING_DAYS["temporary"]
        yield from _before(deadline, days, MailKind.TEMPORARY_ENDING)
    else:
        yield from _after(began, settings.REMINDER_DAYS, MailKind.REMINDER)
        yield from _before(deadline, settings.ENDING_DAYS["waiting"], MailKind.ENDING)


def _after(began: datetime, days: tuple[int, ...], kind: MailKind) -> Iterator[Reminder]:
    return (Reminder(began + timedelta(days=number), kind) for number in days)


def _before(ends: datetime, days: tuple[int, ...], kind: MailKind) -> Iterator[Reminder]:
    return (Reminder(ends - timedelta(days=number), kind) for number in days)

"""Submitted applications, their screening, and the events that follow."""

from onboarding.choices import ApplicationStatus as Status
from onboarding.event_types import EventType
from onboarding.models import Application, Event
from onboarding.services.checks import screenings
from tests.factories import NOON, later, make_document
from tests.onboarding.services.leads.test_submissions import make_complete


def make_submitted(serial="6789", **values):
    application = make_complete(ssn=f"12345{serial}", **values)
    application.status = Status.SUBMITTED
    application.save()
    return application


def screen(at=NOON):
    return screenings.screen_submitted(clock=lambda: at, until=lambda: False)


def events():
    """Return what happened, save that checks ran."""
    return Event.objects.exclude(type=EventType.CHECKED).order_by("number")


def give(case, user):
    """Let somebody have a case for a day, or until half an hour after their first step."""
    until = later(days=1)
    Application.objects.filter(pk=case.pk).update(claimed_by=user, claimed_until=until)


def complete(application):
    """Let nothing be missing, and nobody be on the list."""
    for kind in ("ARTICLES_OF_ORGANIZATION", "SS4_DOCUMENT"):
        make_document(application.lead, llc_file_type=kind)

"""Reads of the events of an application."""

from collections.abc import Collection

from django.db.models import QuerySet

from onboarding.event_types import EventType
from onboarding.models import Application, Event


def list_events(application: Application, *, of: Collection[EventType]) -> QuerySet[Event]:
    """Return the events of an application with one of these types, oldest first."""
    return application.events.filter(type__in=of).order_by("number")

"""Reads of what happened to an application."""

from collections.abc import Collection

from django.db.models import QuerySet

from onboarding.event_types import EventType
from onboarding.models import Application, Event


def list_events(application: Application, *, of: Collection[EventType]) -> QuerySet[Event]:
    """Return the events of an attempt that are of some types, as they happened."""
    return application.events.filter(type__in=of).order_by("number")

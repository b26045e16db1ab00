"""Reads of what happened to an application."""

from onboarding.event_types import EventType
from onboarding.queries.events import list_events
from onboarding.services.events import history
from onboarding.services.events.history import APPLICANT
from tests.factories import NOON


def test_events_of_some_types_are_listed_as_they_happened(make_application):
    application, other = make_application(), make_application()
    for event_type in (EventType.STARTED, EventType.ENTERED, EventType.SUBMITTED):
        history.record(application, event_type, by=APPLICANT, at=NOON)
    history.record(other, EventType.STARTED, by=APPLICANT, at=NOON)

    listed = list_events(application, of={EventType.SUBMITTED, EventType.STARTED})

    assert [event.type for event in listed] == [EventType.STARTED, EventType.SUBMITTED]

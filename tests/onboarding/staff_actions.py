"""Fixtures of two members of staff and of what each of them did."""

import pytest
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType

from banking.choices import StaffEventType
from banking.models import User
from banking.services import staff_history
from onboarding.event_types import EventType
from onboarding.models import Lead
from onboarding.services.events import history
from onboarding.services.events.history import APPLICANT
from onboarding.services.reviews import cases
from tests.factories import NOON, later, make_application, make_lead


@pytest.fixture
def dana(db):
    return User.objects.create_user(
        "dana@example.com", user_type="STAFF", first_name="Dana", last_name="Reyes"
    )


@pytest.fixture
def other(db):
    return User.objects.create_user("iris@example.com", user_type="STAFF", first_name="Iris")


@pytest.fixture
def done(dana, other):
    """Let Dana and Iris work: events of leads, a staff event, an entry of the log."""
    application = make_application(make_lead(business_name="Harbor Coffee"))
    history.record(application, EventType.CREATED, by=APPLICANT, at=NOON)
    history.record(application, EventType.CLAIMED, by=cases.actor(dana), at=later(hours=1))
    history.record(application, EventType.NOTED, by=cases.actor(dana), at=later(hours=2))
    history.record(application, EventType.RELEASED, by=cases.actor(other), at=later(hours=3))
    staff_history.record(StaffEventType.RENAMED, by=dana, at=NOON, email="x@example.com")
    kind = ContentType.objects.get_for_model(Lead)
    entry = {"content_type": kind, "object_id": "7", "action_flag": CHANGE}
    for user in (dana, other):
        LogEntry.objects.create(
            user=user, object_repr="Acme", change_message=f"Suspended by {user}.", **entry
        )
    return application

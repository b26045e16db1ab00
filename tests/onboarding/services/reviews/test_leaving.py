"""Claims end, with an event each, when the person who has them leaves."""

import pytest

from banking.services import staff_accounts
from onboarding.choices import ApplicationStatus as Status
from onboarding.event_types import EventType
from onboarding.models import Application, Event
from onboarding.queries import audit
from tests.factories import NOON, later, make_application, make_user

pytestmark = pytest.mark.django_db


def make_claim(user, **values):
    """Return a case that a user has claimed."""
    claim = {"claimed_by": user, "claimed_until": later(minutes=30), "status": Status.IN_REVIEW}
    return make_application(**claim, **values)


def test_each_claim_ends_with_an_event_of_the_administrator():
    dana, rosa = make_user(user_type="STAFF"), make_user(user_type="STAFF")
    cases = [make_claim(dana) for _ in range(3)]
    other = make_claim(rosa)

    staff_accounts.end_access(dana, by=rosa, at=NOON)

    assert list(Application.objects.filter(claimed_by__isnull=False)) == [other]
    events = Event.objects.filter(type=EventType.RELEASED).order_by("pk")
    assert [event.application for event in events] == cases
    assert {(event.who, event.details["of"]) for event in events} == {
        (str(rosa.external_id), str(dana.external_id))
    }
    dana.refresh_from_db()
    assert dana.sessions_ended_at == NOON
    assert [one.fault for one in audit.find_faults() if "claim" in one.fault] == []


def test_a_claim_on_a_former_attempt_ends_too():
    dana, rosa = make_user(user_type="STAFF"), make_user(user_type="STAFF")
    former = make_claim(dana, is_current=False)
    make_application(former.lead, attempt=2)

    staff_accounts.end_access(dana, by=rosa, at=NOON)

    former.refresh_from_db()
    assert former.claimed_by is None

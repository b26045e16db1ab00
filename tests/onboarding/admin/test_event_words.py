"""Details of events in words, and names of staff instead of ids."""

import pytest

from banking.models import User
from onboarding.admin.event_words import summary
from onboarding.admin.staff_names import name_of
from onboarding.event_types import EventType
from onboarding.models import Event
from onboarding.services.reviews.cases import actor


@pytest.mark.parametrize(
    ("details", "said"),
    [
        ({"is_temp": False}, "temporary: no"),
        ({"is_for_applicant": True}, "for the applicant: yes"),
        ({"texts": {"ELECTRONIC_RECORDS": "2026-11"}}, "2026-11"),
        (
            {"code": "ACTIVITY_PLAUSIBLE", "result": "PASS"},
            "item: What the business does is plausible",
        ),
        ({"sign_in": "INVITED"}, "access: Invited"),
        ({"becomes": "assignee"}, "becomes: assignee"),
        ({"missing_docs": []}, "missing docs: none"),
        ({"number": None}, "number: none"),
        ({"note_id": "x", "file_digest": "y"}, ""),
        ({"reason": "The caller asked"}, "reason: The caller asked"),
        ({"names": ["EIN", "ssn"]}, "names: EIN, ssn"),
    ],
)
def test_details_are_words(details, said):
    text = summary(Event(details=details))

    assert said in text
    for mark in ("{", "'", "False", "None", "ACTIVITY_PLAUSIBLE", "ELECTRONIC_RECORDS"):
        assert mark not in text


def test_a_person_without_a_name_is_the_first_part_of_the_address():
    assert name_of(User(email="iris.berg@example.com")) == "iris.berg"
    assert name_of(User(email="i@example.com", first_name="Iris", last_name="Berg")) == "Iris Berg"


def test_events_name_staff_in_lists_and_pages(make_application, make_event, chief, make_user):
    iris = make_user(user_type="STAFF", first_name="Iris", last_name="Berg")
    application = make_application()
    event = make_event(application, EventType.CLAIMED, by=actor(iris))

    for path in (
        "/admin/onboarding/event/",
        f"/admin/onboarding/event/{event.pk}/change/",
        f"/admin/onboarding/lead/{application.lead_id}/change/",
    ):
        page = chief.get(path).content.decode()
        assert "Iris Berg" in page
        assert str(iris.external_id) not in page

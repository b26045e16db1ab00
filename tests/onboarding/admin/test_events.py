"""Events: the list with its filters, the page of one, the newest of a lead."""

import re

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.event_types import EventType
from onboarding.models import Event
from onboarding.services.applications import lifecycle
from onboarding.services.events import history
from onboarding.services.events.history import APPLICANT, CLOCK, PARTNER
from tests.factories import NOON, later

EVENTS = "/admin/onboarding/event/"


@pytest.fixture
def application(make_application):
    """An application that was created, changed, opened and left."""
    application = make_application()
    history.record(application, EventType.CREATED, by=PARTNER, at=NOON)
    changed = ["businessName", "uboList"]
    history.record(application, EventType.CHANGED, by=PARTNER, at=later(days=1), changed=changed)
    lifecycle.move(application, Status.IN_PROGRESS, by=APPLICANT, at=later(days=2))
    lifecycle.move(application, Status.EXPIRED, by=CLOCK, at=later(days=32))
    return application


def text_of(html):
    """Return the words of a page, without tags."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html)).replace("&rarr;", "→")


def timeline(client, application):
    page = client.get(f"/admin/onboarding/lead/{application.lead_id}/change/").content.decode()
    [card] = re.findall(r"<h2>What happened.*?</section>", page, re.S)
    return [text_of(row) for row in re.findall(r"<tr>.*?</tr>", card, re.S)[1:]]


def listed(client, query=""):
    page = client.get(EVENTS + query).content.decode()
    return re.findall(rf'href="{EVENTS}(\d+)/change/', page)


def test_the_timeline_says_when_what_from_where_and_by_whom(application, chief):
    expired, started, changed, created = timeline(chief, application)

    assert " Apr 3, 2026 12:00 UTC Expired In progress → Expired Clock " in expired
    assert " Applicant began Created → In progress Applicant " in started
    assert " Data changed changed: businessName, uboList - Partner " in changed
    assert " Application created - Partner " in created


def test_the_timeline_has_the_newest_and_links_to_all(application, chief):
    for minutes in range(30):
        history.record(application, EventType.LINK_REPLACED, by=PARTNER, at=later(minutes=minutes))

    assert len(timeline(chief, application)) == 5
    assert len(listed(chief, f"?application={application.pk}")) == 34


def test_the_timeline_has_the_events_of_each_attempt(application, make_application, chief):
    application.is_current = False
    application.save()
    second = make_application(application.lead, attempt=2)
    history.record(second, EventType.CREATED, by=PARTNER, at=later(days=40))

    assert len(timeline(chief, second)) == 5
    assert len(listed(chief, f"?lead={application.lead_id}")) == 5
    assert len(listed(chief, f"?application={application.pk}")) == 4


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", 4),
        ("?type__exact=lead.changed", 1),
        ("?role__exact=PARTNER", 2),
        ("?role__exact=REVIEWER", 0),
    ],
)
def test_events_are_filtered_by_type_and_role(application, chief, query, found):
    assert len(listed(chief, query)) == found


def test_events_are_found_by_lead_and_application(application, make_application, chief):
    history.record(make_application(), EventType.CREATED, by=PARTNER, at=NOON)
    lead = application.lead

    for term in (lead.email, lead.business_name, lead.external_id, application.external_id):
        assert len(listed(chief, f"?q={term}")) == 4


def test_the_page_of_an_event_has_its_details_and_its_seal(application, chief):
    event = Event.objects.get(type=EventType.CHANGED)

    page = chief.get(f"{EVENTS}{event.pk}/change/").content.decode()

    for fact in ("businessName, uboList", event.digest, event.previous_digest, "Attempt 1"):
        assert fact in page


def test_a_person_of_staff_is_named_by_id(application, chief):
    reviewer = history.Actor(history.Role.REVIEWER, who="0190-staff")
    history.record(application, EventType.CHANGED, by=reviewer, at=later(days=40))

    assert "Reviewer 0190-staff" in timeline(chief, application)[0]


def test_who_may_not_view_events_sees_no_timeline(application, make_staff):
    staff = make_staff("view_application", "view_lead")

    for path in (f"application/{application.pk}", f"lead/{application.lead_id}"):
        page = staff.get(f"/admin/onboarding/{path}/change/").content.decode()
        assert application.lead.business_name in page
        assert "What happened" not in page
    assert staff.get(EVENTS).status_code == 403

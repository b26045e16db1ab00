"""The feed of events: what webhooks are sent, in the order of its publication."""

import pytest
from django.utils import timezone

from onboarding.models import Publication
from onboarding.services.events import publications
from tests.onboarding.conftest import codes


@pytest.fixture
def happen(api):
    """Let something happen to a lead of the caller, and publish it."""

    def happen(times=1):
        for number in range(times):
            lead = api.create(email=f"lead{Publication.objects.count()}@example.com")
            if number % 2:
                api.delete(f"lead/{lead['customerId']}")
        publications.publish(at=timezone.now())

    return happen


def test_the_feed_shows_the_bodies_that_webhooks_are_sent(api, happen):
    happen()

    response = api.get("events")

    publication = Publication.objects.get()
    [event] = response.json()["events"]
    assert publication.body in response.content.decode()
    assert (event["id"], event["type"]) == (publication.message_id, "application.created")
    assert event["sequence"] == 1
    assert response.json()["nextAfter"] == publication.message_id
    assert response.json()["hasMore"] is False


def test_the_feed_is_read_to_its_end_and_on_from_there(api, other_api, happen):
    other_api.create()
    happen(3)
    seen, after = [], ""
    while True:
        page = api.get(f"events?limit=1&after={after}").json()
        seen += [event["id"] for event in page["events"]]
        after = page["nextAfter"]
        if not page["hasMore"]:
            break

    published = Publication.objects.filter(partner=api.partner).order_by("pk")
    assert seen == [publication.message_id for publication in published]
    happen()
    fresh = api.get(f"events?after={after}").json()["events"]
    assert [event["id"] for event in fresh] == [Publication.objects.latest("pk").message_id]


def test_a_feed_without_events_is_empty(api):
    assert api.get("events").json() == {"events": [], "nextAfter": None, "hasMore": False}


@pytest.mark.parametrize("after", ["evt_0", "x" * 300])
def test_an_event_that_is_not_known_is_not_found(api, after):
    response = api.get(f"events?after={after}")

    assert response.status_code == 404
    assert codes(response) == {"/after": "EVENT_NOT_FOUND"}


@pytest.mark.parametrize(
    ("query", "faults"),
    [
        ("after=%00", {"/after": "INVALID_FORMAT"}),
        ("limit=101", {"/limit": "VALUE_OUT_OF_RANGE"}),
    ],
)
def test_a_query_that_cannot_be_read_is_refused(api, query, faults):
    response = api.get(f"events?{query}")

    assert response.status_code == 400
    assert codes(response) == faults


def test_who_missed_too_much_is_told(api, happen, settings):
    happen(2)
    first = Publication.objects.order_by("pk").first().message_id
    settings.EVENTS_SHOWN_FOR *= 0

    response = api.get(f"events?after={first}")

    assert response.status_code == 410
    assert codes(response) == {"/after": "EVENTS_GONE"}


def test_the_feed_is_for_who_may_read_leads(api):
    api.key.permissions = ["webhook:manage"]
    api.key.save()

    assert api.get("events").status_code == 403

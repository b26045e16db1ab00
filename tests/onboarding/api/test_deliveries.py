"""What a webhook was sent, as its partner sees it; and how it has it sent again."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from onboarding.choices import DeliveryStatus
from onboarding.models import Delivery, DeliveryAttempt, Publication, Webhook
from onboarding.services.events import publications
from tests.factories import NOON
from tests.onboarding.conftest import codes


@pytest.fixture
def path(api):
    """The path of a webhook of the caller."""
    created = api.put("webhooks", {"serverUrl": "https://hooks.example.com/in"}).json()
    return f"webhooks/{created['externalId']}"


@pytest.fixture
def failed(api, path):
    """A delivery about a lead that was given up after an attempt."""
    api.create()
    publications.publish(at=timezone.now())
    delivery = Delivery.objects.get()
    Delivery.objects.update(
        status=DeliveryStatus.FAILED,
        attempts=1,
        retries=1,
        next_attempt_at=None,
        status_code=500,
        fault="The answer was 500.",
        finished_at=NOON,
    )
    DeliveryAttempt.objects.create(
        delivery=delivery, number=1, at=NOON, duration_ms=12, status_code=500, answer="Oh no",
        fault="The answer was 500.",
    )  # fmt: skip
    return delivery


def test_a_test_is_on_its_way(api, path):
    response = api.post(f"{path}/test")

    answer = response.json()
    assert response.status_code == 202
    assert (answer["type"], answer["status"]) == ("webhook.test", "PENDING")
    assert (answer["customerId"], answer["attempts"], answer["attemptCount"]) == (None, [], 0)
    assert api.get(f"{path}/deliveries").json() == {"deliveries": [answer], "nextCursor": None}


def test_a_delivery_is_shown_with_its_attempts(api, path, failed):
    [delivery] = api.get(f"{path}/deliveries").json()["deliveries"]

    publication = failed.publication
    assert delivery == {
        "deliveryId": str(failed.external_id),
        "eventId": publication.message_id,
        "type": "application.created",
        "customerId": str(publication.lead.external_id),
        "status": "FAILED",
        "attemptCount": 1,
        "statusCode": 500,
        "fault": "The answer was 500.",
        "nextAttemptAt": None,
        "createdAt": failed.created_at.isoformat().replace("+00:00", "Z"),
        "finishedAt": "2026-03-02T12:00:00Z",
        "attempts": [
            {
                "number": 1,
                "at": "2026-03-02T12:00:00Z",
                "durationMs": 12,
                "statusCode": 500,
                "answer": "Oh no",
                "fault": "The answer was 500.",
            }
        ],
    }


def test_the_list_pages_by_cursor_and_is_filtered(api, path, failed):
    tests = [api.post(f"{path}/test").json()["deliveryId"] for _ in range(3)]

    first = api.get(f"{path}/deliveries?limit=2").json()
    second = api.get(f"{path}/deliveries?limit=2&cursor={first['nextCursor']}").json()
    pending = api.get(f"{path}/deliveries?status=PENDING").json()["deliveries"]

    shown = [one["deliveryId"] for page in (first, second) for one in page["deliveries"]]
    assert shown == [*reversed(tests), str(failed.external_id)]
    assert second["nextCursor"] is None
    assert [one["deliveryId"] for one in pending] == [*reversed(tests)]


def test_what_waits_for_a_disabled_webhook_is_held(api, path, failed):
    waiting = api.post(f"{path}/test").json()
    assert (waiting["status"], bool(waiting["nextAttemptAt"])) == ("PENDING", True)
    api.post(path, {"status": "DISABLED"})

    def shown(query=""):
        listed = api.get(f"{path}/deliveries{query}").json()["deliveries"]
        return [(one["deliveryId"], one["status"], one["nextAttemptAt"]) for one in listed]

    held = (waiting["deliveryId"], "HELD", None)
    assert shown() == [held, (str(failed.external_id), "FAILED", None)]
    assert shown("?status=HELD") == [held]
    assert shown("?status=PENDING") == []
    assert len(shown("?status=FAILED")) == 1

    api.post(path, {"status": "ACTIVE"})

    pending = (waiting["deliveryId"], "PENDING", waiting["nextAttemptAt"])
    assert shown("?status=PENDING") == [pending]
    assert shown("?status=HELD") == []


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("status=LOST", "VALUE_NOT_ALLOWED"),
        ("limit=0", "VALUE_OUT_OF_RANGE"),
        ("cursor=abc", "INVALID_FORMAT"),
    ],
)
def test_a_filter_that_cannot_be_read_is_refused(api, path, query, code):
    assert list(codes(api.get(f"{path}/deliveries?{query}")).values()) == [code]


def test_a_cursor_of_another_list_is_refused(api, path):
    other = api.put("webhooks", {"serverUrl": "https://hooks.example.com/2"}).json()["externalId"]
    for _ in range(2):
        api.post(f"{path}/test")
        api.post(f"webhooks/{other}/test")
    cursor = api.get(f"{path}/deliveries?limit=1").json()["nextCursor"]

    assert api.get(f"webhooks/{other}/deliveries?cursor={cursor}").status_code == 400
    assert api.get(f"lead?cursor={cursor}").status_code == 400


def test_a_delivery_is_sent_again(api, path, failed):
    response = api.post(f"{path}/deliveries/{failed.external_id}/redeliver")

    answer = response.json()
    assert response.status_code == 202
    assert (answer["status"], answer["eventId"]) == ("PENDING", failed.publication.message_id)
    assert answer["nextAttemptAt"]
    assert len(answer["attempts"]) == 1


def test_a_delivery_of_another_webhook_is_not_found(api, path, failed):
    other = api.put("webhooks", {"serverUrl": "https://hooks.example.com/2"}).json()["externalId"]

    for delivery_id in (failed.external_id, "nobody"):
        response = api.post(f"webhooks/{other}/deliveries/{delivery_id}/redeliver")
        assert codes(response) == {None: "DELIVERY_NOT_FOUND"}
        assert response.status_code == 404


def test_what_was_missed_is_recovered(api, path, failed):
    since = (timezone.now() - timedelta(hours=1)).isoformat()

    response = api.post(f"{path}/recover", {"since": since})

    assert response.status_code == 202
    assert response.json()["recovered"] == 1
    assert Delivery.objects.get().status == DeliveryStatus.PENDING
    assert api.post(f"{path}/recover", {"since": since}).json()["recovered"] == 0


def test_what_was_published_while_it_was_disabled_is_recovered(api, path):
    api.post(path, {"status": "DISABLED"})
    since = timezone.now().isoformat()
    api.create()
    publications.publish(at=timezone.now())
    api.post(path, {"status": "ACTIVE"})
    assert not Delivery.objects.exists()

    assert api.post(f"{path}/recover", {"since": since}).json()["recovered"] == 1

    assert Delivery.objects.get().publication.type == "application.created"


def test_a_period_ends_before_its_end(api, path, failed):
    until = failed.publication.published_at
    since = (until - timedelta(days=1)).astimezone(timezone.get_fixed_timezone(120))

    answer = api.post(
        f"{path}/recover", {"since": since.isoformat(), "until": until.isoformat()}
    ).json()

    assert answer["recovered"] == 0
    assert [answer["since"], answer["until"]] == [written(since), written(until)]


def written(moment):
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def test_what_is_too_long_ago_is_not_recovered(api, path, failed, settings):
    now = timezone.now()
    long_ago = now - settings.EVENTS_SHOWN_FOR - timedelta(hours=1)
    Publication.objects.update(published_at=long_ago)
    since = written(long_ago - timedelta(days=1))

    answer = api.post(f"{path}/recover", {"since": since}).json()
    past = api.post(f"{path}/recover", {"since": since, "until": written(long_ago)}).json()

    assert answer["recovered"] == past["recovered"] == 0
    raised = datetime.fromisoformat(answer["since"])
    assert now <= raised + settings.EVENTS_SHOWN_FOR <= timezone.now()
    assert past["since"] == past["until"] == written(long_ago)


def test_what_is_unknown_of_a_recovery_is_named(api, path):
    body = {"since": timezone.now().isoformat(), "til": 1}

    [warning] = api.post(f"{path}/recover", body).json()["warnings"]

    assert (warning["code"], warning["field"]) == ("UNKNOWN_FIELD", "/til")


def test_what_happened_before_a_webhook_is_recovered(api):
    since = timezone.now().isoformat()
    api.create()
    publications.publish(at=timezone.now())
    created = api.put("webhooks", {"serverUrl": "https://hooks.example.com/in"}).json()

    answer = api.post(f"webhooks/{created['externalId']}/recover", {"since": since}).json()

    assert answer["recovered"] == 1


@pytest.mark.parametrize(
    ("period", "faults"),
    [
        ({}, {"/since": "REQUIRED_FIELD_MISSING"}),
        ({"since": "yesterday"}, {"/since": "INVALID_FORMAT"}),
        ({"since": "2026-01-01T00:00:00"}, {"/since": "INVALID_FORMAT"}),
        ({"since": 5, "until": 6}, {"/since": "INVALID_TYPE", "/until": "INVALID_TYPE"}),
        (
            {"since": "2026-01-01T00:00:00Z", "until": "2026-01-01T00:00:00Z"},
            {"/until": "VALUE_OUT_OF_RANGE"},
        ),
        (
            {"since": "2026-01-02T00:00:00Z", "until": "2026-01-01T00:00:00Z"},
            {"/until": "VALUE_OUT_OF_RANGE"},
        ),
        ({"since": "2999-01-01T00:00:00Z"}, {"/since": "VALUE_OUT_OF_RANGE"}),
    ],
)
def test_a_period_that_is_none_is_refused(api, path, period, faults):
    response = api.post(f"{path}/recover", period)

    assert response.status_code == 400
    assert codes(response) == faults


def test_a_disabled_webhook_is_sent_nothing(api, path, failed):
    Webhook.objects.update(status="DISABLED")
    since = {"since": "2026-01-01T00:00:00Z"}

    for tail, body in (
        ("test", None),
        (f"deliveries/{failed.external_id}/redeliver", None),
        ("recover", since),
    ):
        response = api.post(f"{path}/{tail}", body)
        assert response.status_code == 409
        assert codes(response) == {None: "WEBHOOK_DISABLED"}
    assert Delivery.objects.get().status == DeliveryStatus.FAILED

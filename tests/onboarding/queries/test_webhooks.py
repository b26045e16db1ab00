import pytest

from onboarding.choices import DeliveryStatus
from onboarding.event_types import TEST_EVENT
from onboarding.models import Delivery, DeliveryAttempt, Lane, Publication
from onboarding.queries.webhooks import (
    DeliveryNotFound,
    WebhookNotFound,
    get_delivery,
    get_webhook,
    list_webhooks,
    search_deliveries,
)
from tests.factories import NOON


@pytest.fixture
def deliver():
    """Let something be delivered to a webhook in two attempts, of which the first failed."""

    def deliver(webhook, *, number=1, status=DeliveryStatus.DELIVERED):
        test = Publication.objects.create(
            message_id=f"evt_{number}",
            partner=webhook.partner,
            type=TEST_EVENT,
            body="{}",
            published_at=NOON,
        )
        lane = Lane.objects.get_or_create(webhook=webhook, lead=None)[0]
        delivery = Delivery.objects.create(
            lane=lane, publication=test, status=status, attempts=2, created_at=NOON
        )
        for attempt, code in enumerate((500, 200), start=1):
            DeliveryAttempt.objects.create(
                delivery=delivery, number=attempt, at=NOON, duration_ms=5, status_code=code
            )
        return delivery

    return deliver


def test_a_partner_has_its_own_webhooks_the_oldest_first(make_webhook):
    first = make_webhook()
    make_webhook()
    second = make_webhook(first.partner)

    assert list(list_webhooks(first.partner)) == [first, second]


def test_no_secret_is_opened_for_it(make_webhook, django_assert_num_queries):
    partner = make_webhook().partner

    with django_assert_num_queries(1):
        [webhook] = list_webhooks(partner)
    assert webhook.get_deferred_fields() == {"token", "signing_secret", "previous_secret"}


def test_a_webhook_is_found_by_its_id(make_webhook):
    webhook = make_webhook()

    for text in (str(webhook.external_id), webhook.external_id.hex):
        assert get_webhook(partner=webhook.partner, webhook_id=text) == webhook


@pytest.mark.parametrize("text", ["", "1", "nobody", "{" * 5000, "0" * 32])
def test_an_id_that_is_none_finds_no_webhook(make_webhook, text):
    with pytest.raises(WebhookNotFound):
        get_webhook(partner=make_webhook().partner, webhook_id=text)


def test_the_webhook_of_another_partner_is_not_found(make_webhook, make_partner):
    webhook = make_webhook()

    with pytest.raises(WebhookNotFound):
        get_webhook(partner=make_partner(), webhook_id=str(webhook.external_id))


def test_deliveries_come_with_their_attempts_the_newest_first(
    make_webhook, deliver, django_assert_num_queries
):
    webhook = make_webhook()
    older, newer = deliver(webhook, number=1), deliver(webhook, number=2)
    deliver(make_webhook(), number=3)

    with django_assert_num_queries(2):
        found = list(search_deliveries(webhook))
        deliveries = [(one.publication.message_id, one.publication.lead) for one in found]
        codes = [[attempt.status_code for attempt in one.made.all()] for one in found]

    assert found == [newer, older]
    assert deliveries == [("evt_2", None), ("evt_1", None)]
    assert codes == [[500, 200], [500, 200]]


def test_deliveries_are_found_by_status(make_webhook, deliver):
    webhook = make_webhook()
    deliver(webhook, number=1)
    failed = deliver(webhook, number=2, status=DeliveryStatus.FAILED)

    assert list(search_deliveries(webhook, status="FAILED")) == [failed]


def test_a_delivery_belongs_to_one_webhook(make_webhook, deliver):
    webhook = make_webhook()
    delivery = deliver(webhook)
    delivery_id = str(delivery.external_id)

    assert get_delivery(webhook, delivery_id=delivery_id) == delivery
    with pytest.raises(DeliveryNotFound):
        get_delivery(make_webhook(webhook.partner), delivery_id=delivery_id)
    with pytest.raises(DeliveryNotFound):
        get_delivery(webhook, delivery_id="nobody")

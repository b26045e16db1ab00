"""What the tests of the screens share."""

from onboarding.event_types import EventType
from onboarding.models import Delivery, DeliveryAttempt
from onboarding.services.events import publications
from onboarding.services.webhooks import deliveries
from tests import factories
from tests.factories import NOON
from tests.staff import chief, count_queries, make_staff

__all__ = ["chief", "count_queries", "make_staff"]


def tell_partners(times=1):
    """Tell partners of something, and of a test, by webhooks that fail; return a delivery."""
    for _ in range(times):
        application = factories.make_application()
        webhook = factories.make_webhook(application.lead.partner, description="Production")
        factories.make_event(application, EventType.STARTED)
        deliveries.send_test(webhook, at=NOON)
    publications.publish(at=NOON)
    for delivery in Delivery.objects.filter(made=None):
        DeliveryAttempt.objects.create(
            delivery=delivery, number=1, at=NOON, duration_ms=15, status_code=500,
            answer="<b>Oh no</b>", fault="The answer was 500.",
        )  # fmt: skip
    return Delivery.objects.latest("pk")

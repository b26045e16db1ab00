"""What webhooks are told of: events for our worker, rows and messages for the peer's."""

import time
from datetime import UTC, datetime
from typing import Any

Caused = dict[str, float]  # when, by the id of the message


def write_events(count: int, leads: int) -> Caused:
    """Write so many events down, over so many leads, in one transaction."""
    from django.db import transaction

    from onboarding.event_types import EventType
    from onboarding.models import Application, Event
    from onboarding.services.events import history, payloads

    now = datetime.now(UTC)
    told = Application.objects.select_related("lead").order_by("pk")[:leads]
    with transaction.atomic():
        # the worker's own jobs write events of the same leads
        for number, application in enumerate(told.select_for_update(of=["lead"])):
            happening = history.History(application.lead, by=history.CHECKS, at=now)
            for _ in range(number, count, leads):
                happening.add(EventType.STARTED, application)
            happening.save_with_lead()
    written = time.time()
    return {payloads.message_id(event): written for event in Event.objects.filter(occurred_at=now)}


def count_ours(webhook: Any) -> float:
    """Deliver to nobody in this process; return the statements of each."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext
    from django.utils import timezone

    from onboarding.services.events import publications
    from onboarding.services.webhooks import deliveries, posting

    write_events(10, 10)
    publications.publish(at=timezone.now())
    post, posting.post = posting.post, lambda *_, **__: posting.Outcome(status_code=204)
    try:
        with CaptureQueriesContext(connection) as captured:
            sent = deliveries.deliver_due(webhook.pk, clock=timezone.now, until=lambda: False)
    finally:
        posting.post = post
    counted = [True for query in captured if query["sql"] not in {"BEGIN", "COMMIT"}]
    return len(counted) / sent


class PeerQueue:
    """Gives the peer its deliveries: rows like ours, and a message for each."""

    def __init__(self, webhook: Any) -> None:
        self.webhook = webhook

    def __call__(self, count: int, _leads: int) -> Caused:
        from bench.peers.celery_webhooks import deliver

        caused = {}
        for delivery in self._rows(count):
            caused[delivery.publication.message_id] = time.time()
            deliver.delay(delivery.pk)
        return caused

    def count(self) -> float:
        """Deliver to the receiver in this process; return the statements."""
        from django.db import connection
        from django.test.utils import CaptureQueriesContext

        from bench.peers.celery_webhooks import deliver

        [delivery] = self._rows(1)
        with CaptureQueriesContext(connection) as captured:
            deliver.run(delivery.pk)
        return len(captured)

    def _rows(self, count: int) -> list[Any]:
        from onboarding.models import Delivery, Lane, Publication
        from onboarding.models.publications import new_message_id

        body, now = Publication.objects.exclude(lead=None)[0].body, datetime.now(UTC)
        partner, kind = self.webhook.partner, "webhook.test"
        lane, _ = Lane.objects.get_or_create(webhook=self.webhook, lead=None)
        news = Publication.objects.bulk_create(
            Publication(
                message_id=new_message_id(), partner=partner, type=kind, body=body, published_at=now
            )
            for _ in range(count)
        )
        return Delivery.objects.bulk_create(
            Delivery(lane=lane, publication=one, created_at=now, next_attempt_at=now)
            for one in news
        )

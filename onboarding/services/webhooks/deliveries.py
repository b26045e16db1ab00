"""Deliveries: publications sent to each webhook, in order, at least once."""

import logging
import random
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from itertools import islice

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from foundation.database import prepared_statements
from foundation.metrics import declared as metrics
from foundation.outbound.http_client import KeptConnection
from foundation.tracing import spans
from onboarding.choices import DeliveryStatus
from onboarding.event_types import TEST_EVENT
from onboarding.models import Delivery, Lane, Publication, Webhook
from onboarding.models.publications import new_message_id
from onboarding.services.events import payloads
from onboarding.services.mails import outbox
from onboarding.services.webhooks import endpoints, fault_injection, lanes, posting

logger = logging.getLogger(__name__)

Clock = Callable[[], datetime]

CHUNK = 500
CHANGE = """
    UPDATE onboarding_delivery SET status = %s, attempts = %s, retries = %s, next_attempt_at = %s,
        failing_since = %s, status_code = %s, fault = %s, finished_at = %s
    WHERE id = %s
"""
ATTEMPT = """
    INSERT INTO onboarding_deliveryattempt
        (delivery_id, number, at, duration_ms, status_code, answer, fault)
    VALUES (%s, %s, %s, %s, %s, %s, %s)
"""


def enter(
    webhook: Webhook,
    publications: Iterable[Publication],
    *,
    at: datetime,
    is_disturbed: bool = True,
) -> int:
    """Queue publications for a webhook, in their order; return the number of new deliveries.

    Call it in a transaction. Publications that have a delivery are skipped. Fault injection
    drops or delays them only with `is_disturbed`, and repeats none that were published before `at`.
    """
    publications = list(publications)
    found = lanes.ensure(webhook, {one.lead_id for one in publications})
    known = Delivery.objects.filter(lane__webhook=webhook, publication__in=publications)
    sent = set(known.values_list("publication_id", flat=True))
    waiting = [
        _new_delivery(found[one.lead_id], one, plan, at=at)
        for one in publications
        if one.pk not in sent
        for plan in [
            fault_injection.plan_delivery(webhook, one)
            if is_disturbed
            else fault_injection.UNDISTURBED
        ]
    ]
    Delivery.objects.bulk_create(waiting, ignore_conflicts=True)
    lanes.mark_due({delivery.lane_id for delivery in waiting}, at=at)
    return len(waiting)


def _new_delivery(
    lane: Lane, publication: Publication, plan: fault_injection.Plan, *, at: datetime
) -> Delivery:
    delivery = Delivery(lane=lane, publication=publication, created_at=at)
    if plan.drop:
        delivery.status, delivery.finished_at = DeliveryStatus.DROPPED, at
    else:
        delivery.next_attempt_at = (
            at + plan.delay + plan.out_of_order * fault_injection.OVERTAKEN_FOR
        )
    return delivery


@transaction.atomic
def send_test(webhook: Webhook, *, at: datetime) -> Delivery:
    """Queue a `webhook.test` event for a webhook, in the lane without a lead."""
    message = new_message_id()
    test = Publication.objects.create(
        message_id=message,
        partner_id=webhook.partner_id,
        type=TEST_EVENT,
        body=payloads.compose_test(message, at=at),
        published_at=at,
        request_id=spans.current_request_id() or None,
        traceparent=spans.current_traceparent(),
    )
    enter(webhook, [test], at=at)
    return Delivery.objects.get(lane__webhook=webhook, publication=test)


@transaction.atomic
def redeliver(delivery: Delivery, *, at: datetime) -> Delivery:
    """Make a delivery of any status due now, with the full number of retries.

    Locks its lane.
    """
    Lane.objects.select_for_update(of=("self",)).get(pk=delivery.lane_id)
    _restart(Delivery.objects.filter(pk=delivery.pk), at=at)
    lanes.mark_due({delivery.lane_id}, at=at)
    delivery.refresh_from_db()
    return delivery


@transaction.atomic
def recover(webhook: Webhook, *, since: datetime, until: datetime, at: datetime) -> int:
    """Queue again the publications that a webhook missed in a period; return their number.

    Missed are deliveries that were given up or dropped, and publications that have no
    delivery to this webhook, such as those made while it was disabled. Test events are left out.
    The period is of times of publication; `until` is not part of it.
    """
    news = Publication.objects.filter(
        partner=webhook.partner_id, published_at__gte=since, published_at__lt=until
    ).exclude(type=TEST_EVENT)
    given_up = Delivery.objects.filter(
        lane__webhook=webhook, publication__in=news, next_attempt_at=None
    ).exclude(status=DeliveryStatus.DELIVERED)
    waiting = set(given_up.values_list("lane_id", flat=True))
    count = _restart(Delivery.objects.filter(pk__in=given_up.values("pk")), at=at)
    lanes.mark_due(waiting, at=at)
    missed = news.exclude(deliveries__lane__webhook=webhook).order_by("pk")
    return count + sum(
        enter(webhook, chunk, at=at, is_disturbed=False) for chunk in _chunks(webhook, missed)
    )


def deliver_due(webhook_id: int, *, clock: Clock, until: Callable[[], bool]) -> int:
    """Send the due deliveries of a webhook, lane after lane, and return the number of attempts.

    Ends when nothing is due, the limit of concurrent lanes is reached, or `until` returns true.
    All POSTs share one kept-alive connection.
    """
    posts = 0
    with KeptConnection() as kept:
        while not until() and (lane := lanes.claim(webhook_id, at=clock())):
            try:
                for _ in _serve(lane, kept, clock=clock, until=until):
                    posts += 1
            except lanes.LeaseLost:
                logger.warning("%s was taken over by another runner", lane)
    return posts


def _serve(
    lane: Lane, kept: KeptConnection, *, clock: Clock, until: Callable[[], bool]
) -> Iterator[None]:
    """Send the due deliveries of a claimed lane in order, and release the lane. Raises: LeaseLost.

    Deliveries that become due meanwhile are left to the next claim.
    """
    ready = lanes.list_ready(lane, at=clock())
    for place, delivery in enumerate(ready, start=1):
        if until() or not lane.webhook.is_active:
            break
        is_last = _attempt(lane, delivery, kept, clock=clock, is_last=place == len(ready))
        yield
        if is_last:
            return
    lanes.release(lane, at=clock())


def _attempt(
    lane: Lane, delivery: Delivery, kept: KeptConnection, *, clock: Clock, is_last: bool
) -> bool:
    """Send and record one delivery; return whether it ends the run, as a failure does.

    Raises: LeaseLost.
    """
    news = delivery.publication
    with spans.work(
        f"deliver {news.type}", request_id=news.request_id, parent=news.traceparent
    ) as span:
        news.traceparent = span.traceparent
        began_at = clock()
        if not delivery.attempts:
            _observe_wait(delivery, at=began_at)
        outcome = _post(lane.webhook, news, kept, at=began_at)
        if outcome.is_success:
            _repeat(lane, delivery, kept, clock=clock)
        is_last = is_last or not outcome.is_success
        _record(lane, delivery, outcome, began_at=began_at, at=clock(), is_last=is_last)
    return is_last


def _observe_wait(delivery: Delivery, *, at: datetime) -> None:
    """Measure how long an event waited for its first attempt; a recovered delivery is left out."""
    written_at = lanes.written_at(delivery)
    if written_at and not _is_recovered(delivery):
        waited = (at - written_at).total_seconds()
        metrics.EVENT_FIRST_ATTEMPT.observe(max(waited, 0.0))


def _is_recovered(delivery: Delivery) -> bool:
    """Return whether `recover` made the delivery, after the event was published."""
    return delivery.created_at > delivery.publication.published_at


def _repeat(lane: Lane, delivery: Delivery, kept: KeptConnection, *, clock: Clock) -> None:
    """Send the duplicates that fault injection adds to a first attempt. Raises: LeaseLost.

    A delivery that `recover` made has none.
    """
    if delivery.attempts or _is_recovered(delivery):
        return
    for _ in range(1, fault_injection.plan_delivery(lane.webhook, delivery.publication).copies):
        lanes.keep(lane, at=clock())
        _post(lane.webhook, delivery.publication, kept, at=clock())


def _post(
    webhook: Webhook, publication: Publication, kept: KeptConnection, *, at: datetime
) -> posting.Outcome:
    """Send a publication. An unexpected exception is a failed attempt, so that retries end."""
    try:
        outcome = posting.post(webhook, publication, at=at, kept=kept)
    except Exception:
        logger.exception("%s could not be sent to %s", publication, webhook)
        outcome = posting.Outcome(fault="internal error")
    metrics.WEBHOOK_ATTEMPTS.count(outcome.kind)
    metrics.WEBHOOK_ATTEMPT_DURATION.observe(outcome.duration_ms / 1000)
    return outcome


@transaction.atomic
def _record(
    lane: Lane,
    delivery: Delivery,
    outcome: posting.Outcome,
    *,
    began_at: datetime,
    at: datetime,
    is_last: bool,
) -> None:
    """Save the outcome of a POST; extend the lane's lease, or end it if `is_last`.

    Reads the webhook again: its URL, secrets or status may have changed. Raises: LeaseLost.
    """
    if is_last:
        lanes.lock(lane)
    else:
        lanes.keep(lane, at=at)
    delivery.attempts += 1
    delivery.retries += 1
    delivery.status_code, delivery.fault = outcome.status_code, outcome.fault
    if outcome.is_success:
        _succeed(delivery, at=at)
    else:
        _fail(delivery, outcome, at=at)
    _write(delivery, outcome, began_at=began_at)
    lane.webhook = lanes.WEBHOOK.first(webhook=lane.webhook_id) or lane.webhook
    _judge(lane.webhook, outcome, at=at)
    if is_last:
        lanes.end_lease(lane, at=at)


def _write(delivery: Delivery, outcome: posting.Outcome, *, began_at: datetime) -> None:
    """Insert an attempt and update its delivery."""
    prepared_statements.execute(
        CHANGE,
        [
            delivery.status,
            delivery.attempts,
            delivery.retries,
            lanes.stored(delivery.next_attempt_at),
            lanes.stored(delivery.failing_since),
            delivery.status_code,
            delivery.fault,
            lanes.stored(delivery.finished_at),
            delivery.pk,
        ],
    )
    prepared_statements.execute(
        ATTEMPT,
        [
            delivery.pk,
            delivery.attempts,
            lanes.stored(began_at),
            outcome.duration_ms,
            outcome.status_code,
            outcome.answer,
            outcome.fault,
        ],
    )


def _succeed(delivery: Delivery, *, at: datetime) -> None:
    delivery.status = DeliveryStatus.DELIVERED
    delivery.next_attempt_at = delivery.failing_since = None
    delivery.finished_at = at


def _fail(delivery: Delivery, outcome: posting.Outcome, *, at: datetime) -> None:
    delivery.failing_since = delivery.failing_since or at
    if delivery.retries >= len(settings.RETRY_DELAYS):
        delivery.status, delivery.next_attempt_at = DeliveryStatus.FAILED, None
        delivery.finished_at = at
        return
    delay = retry_delay(delivery.retries)
    delivery.next_attempt_at = at + max(delay, outcome.retry_after or delay)


def retry_delay(made: int) -> timedelta:
    """Return the delay before the next attempt, with random jitter, after `made` attempts."""
    jitter = settings.RETRY_JITTER
    share = random.uniform(1 - jitter, 1 + jitter)  # noqa: S311 - spreads load, guards nothing
    return timedelta(seconds=settings.RETRY_DELAYS[made] * share)


def _judge(webhook: Webhook, outcome: posting.Outcome, *, at: datetime) -> None:
    """Update the health of the webhook; disable it if it is gone or has failed for too long."""
    row = Webhook.objects.filter(pk=webhook.pk)
    is_slow = timedelta(milliseconds=outcome.duration_ms) > lanes.SLOW_AFTER
    if is_slow != bool(webhook.slow_since):
        row.update(slow_since=at if is_slow else None)
    if outcome.is_success and not webhook.failing_since:
        return
    if outcome.is_success:
        row.update(**endpoints.NOT_FAILING)
        return
    row.filter(failing_since=None).update(failing_since=at)
    if outcome.is_gone:
        _disable(webhook, endpoints.GONE, at=at)
    elif row.filter(failing_since__lte=at - settings.WEBHOOK_DISABLED_AFTER).exists():
        days = settings.WEBHOOK_DISABLED_AFTER.days
        _disable(webhook, f"Nothing but failure for {days} days.", at=at)


def _disable(webhook: Webhook, reason: str, *, at: datetime) -> None:
    """Disable a webhook and, in the same transaction, queue the mail to its partner."""
    if endpoints.disable_webhook(webhook, reason=reason):
        logger.warning("%s is disabled: %s", webhook, reason)
        outbox.notify_disabling(webhook, at=at)


def _restart(given_up: QuerySet[Delivery], *, at: datetime) -> int:
    return given_up.update(
        status=DeliveryStatus.PENDING,
        retries=0,
        next_attempt_at=at,
        failing_since=None,
        finished_at=None,
    )


def _chunks(webhook: Webhook, news: QuerySet[Publication]) -> Iterator[list[Publication]]:
    """Yield the publications of types that the webhook receives, in chunks."""
    wanted = (one for one in news.iterator(chunk_size=CHUNK) if webhook.wants(one.type))
    while chunk := list(islice(wanted, CHUNK)):
        yield chunk

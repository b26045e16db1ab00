"""Lanes: who sends what when. What one lead's events share on their way to one webhook."""

from collections import Counter
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Q, Value
from django.db.models.functions import Coalesce, Least

from onboarding.models import Delivery, Lane, Webhook
from onboarding.models.webhooks import HOLDS_BACK, LaneQuerySet
from onboarding.services import chaos

LEASE = timedelta(seconds=30)  # more than one POST takes
AHEAD = 50  # deliveries of a lane that are looked at together
UNSTEADY_AFTER = timedelta(minutes=1)  # of nothing but failure a webhook gets one lane at a time


class Lost(Exception):
    """The lease of a lane ended, and somebody else may have it."""


def list_short_handed(*, at: datetime) -> list[int]:
    """Return webhooks that wait for runners, each once for every runner that it wants.

    Of a worker's threads, all webhooks have three quarters and those of one partner a quarter. A
    webhook has settings.WEBHOOK_LANES at most, but its second one only while half of the threads
    are free, and one that only fails has no second: nobody stalls the others.
    """
    threads = settings.CELERY_WORKER_CONCURRENCY
    waiting = _count(Lane.objects.due(at=at))
    busy = _count(_served(at=at))
    webhooks = Webhook.objects.filter(pk__in={*waiting, *busy}).order_by("pk")
    known = {webhook.pk: webhook for webhook in webhooks.only("partner", "failing_since")}
    of_partners = Counter[int]()
    for pk, count in busy.items():
        of_partners[known[pk].partner_id] += count
    free, wanted = threads * 3 // 4 - sum(busy.values()), Counter[int]()
    for turn in range(settings.WEBHOOK_LANES):
        for pk in waiting:
            webhook, has = known[pk], busy.get(pk, 0) + wanted[pk]
            may = free > 0 if has == 0 else free > threads // 4 and _is_steady(webhook, at=at)
            is_short = wanted[pk] == turn < waiting[pk] and has < settings.WEBHOOK_LANES
            if may and is_short and of_partners[webhook.partner_id] < most_of_partner():
                wanted[pk] += 1
                of_partners[webhook.partner_id] += 1
                free -= 1
    return list(wanted.elements())


def most_of_partner() -> int:
    """Return how many lanes of one partner are served at once."""
    return max(settings.CELERY_WORKER_CONCURRENCY // 4, 1)


def claim(webhook_id: int, *, at: datetime) -> Lane | None:
    """Take a lane in which something is due; None if there is none, or enough are being served."""
    served = _served(at=at).filter(webhook__partner__webhooks=webhook_id)
    busy = list(served.values_list("webhook", flat=True))
    if busy.count(webhook_id) >= settings.WEBHOOK_LANES or len(busy) >= most_of_partner():
        return None
    lanes = Lane.objects.filter(webhook=webhook_id)
    due = lanes.due(at=at).order_by("due_at", "pk").select_related("webhook")
    for lane in due[: 2 * settings.WEBHOOK_LANES]:
        unclaimed = lanes.free(at=at).filter(pk=lane.pk, claims=lane.claims)
        lane.claims += 1
        if unclaimed.update(claims=lane.claims, leased_until=at + LEASE):
            return lane
    return None


def keep(lane: Lane, *, at: datetime) -> None:
    """Prolong the lease of a lane, within the transaction that writes. Raises: Lost."""
    if not _held(lane).update(leased_until=at + LEASE):
        raise Lost


@transaction.atomic
def release(lane: Lane, *, at: datetime) -> None:
    """Let go of a lane; what was entered meanwhile is seen, for entering it wakes the lane."""
    held = _held(lane)
    if held.select_for_update(of=("self",)).first():
        held.update(leased_until=None, due_at=_next_due(lane, at=at))


def _next_due(lane: Lane, *, at: datetime) -> datetime | None:
    """Return when there is something to send in a lane; None if nothing waits."""
    moments = []
    for delivery in _list_waiting(lane):
        moments.append(delivery.next_attempt_at)
        if not _lets_pass(lane, delivery, at=at):
            if delivery.failing_since:
                moments.append(delivery.failing_since + HOLDS_BACK)
            break
    return min(filter(None, moments), default=None)


def list_ready(lane: Lane, *, at: datetime) -> list[Delivery]:
    """Return what may be sent now, in order; a failure holds back those after it for a while."""
    ready = []
    for delivery in _list_waiting(lane):
        if delivery.next_attempt_at and delivery.next_attempt_at <= at:
            ready.append(delivery)
        elif not _lets_pass(lane, delivery, at=at):
            break
    return ready


def _list_waiting(lane: Lane) -> Iterable[Delivery]:
    waiting = lane.deliveries.filter(next_attempt_at__isnull=False)
    return waiting.select_related("publication").order_by("publication")[:AHEAD]


def _lets_pass(lane: Lane, delivery: Delivery, *, at: datetime) -> bool:
    """Say whether those after a delivery may go before it: it has failed for long enough."""
    if delivery.failing_since:
        return delivery.failing_since + HOLDS_BACK <= at
    return chaos.fate(lane.webhook, delivery.publication).out_of_order


def ensure(webhook: Webhook, leads: Collection[int | None]) -> dict[int | None, Lane]:
    """Return the lane of each lead, made where there is none; two may do that at once."""
    wanted = Q(lead__in={*leads} - {None}) | Q(lead=None)
    found = Lane.objects.filter(wanted, webhook=webhook)
    known = {lane.lead_id: lane for lane in found}
    if missing := {*leads} - known.keys():
        new = [Lane(webhook=webhook, lead_id=lead) for lead in missing]
        Lane.objects.bulk_create(new, ignore_conflicts=True)
        known = {lane.lead_id: lane for lane in found.all()}
    return known


def wake(lanes: Collection[int], *, at: datetime) -> None:
    """Have lanes looked at. Locks each, due or not: who lets go of one cannot miss what waits."""
    due_at = Least(Coalesce("due_at", Value(at)), Value(at))
    Lane.objects.filter(pk__in=lanes).update(due_at=due_at)


def _served(*, at: datetime) -> LaneQuerySet:
    return Lane.objects.filter(leased_until__gt=at)


def _count(lanes: LaneQuerySet) -> dict[int, int]:
    """Return how many lanes there are of each webhook."""
    counted = lanes.values_list("webhook").annotate(count=Count("pk"))
    return dict(counted.order_by("webhook"))


def _is_steady(webhook: Webhook, *, at: datetime) -> bool:
    """Say whether a webhook did not fail lately and do nothing else since."""
    return webhook.failing_since is None or webhook.failing_since > at - UNSTEADY_AFTER


def _held(lane: Lane) -> LaneQuerySet:
    """Return the row of a lane as long as nobody took it over."""
    return Lane.objects.filter(pk=lane.pk, claims=lane.claims)

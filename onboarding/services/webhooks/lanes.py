"""Lanes: ordered queues of deliveries per webhook and lead, leased to one runner at a time."""

from collections import Counter
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Count, F, Min, Q, Value
from django.db.models.functions import Coalesce, Least

from foundation.database import prepared_statements
from foundation.database.compiled_queries import CompiledQuery
from onboarding.models import Delivery, Lane, Webhook
from onboarding.models.webhooks import MAX_LANE_DELAY, LaneQuerySet
from onboarding.services.webhooks import fault_injection

LEASE = timedelta(seconds=30)  # longer than a POST takes
AHEAD = 50  # deliveries of a lane that are read together
UNSTEADY_AFTER = timedelta(minutes=1)  # of failures only, a webhook gets one lane at a time
SLOW_AFTER = timedelta(seconds=2)  # a POST that takes longer makes its webhook slow

# The statements of every delivery, compiled once, since building them in the ORM costs much CPU.
SERVED = CompiledQuery(
    lambda webhook, at: Lane.objects.filter(
        leased_until__gt=at, webhook__partner__webhooks=webhook
    ).values_list("webhook", "leased_until", "webhook__slow_since")
)
WEBHOOK = CompiledQuery(lambda webhook: Webhook.objects.filter(pk=webhook))
LOCKED = CompiledQuery(
    lambda lane, claims: (
        Lane.objects.filter(pk=lane, claims=claims)
        .select_for_update(of=("self",))
        .values_list("pk")
    )
)
WAITING = CompiledQuery(
    lambda lane: (
        Delivery.objects.filter(lane=lane, next_attempt_at__isnull=False)
        .select_related("publication")
        .annotate(written_at=F("publication__event__occurred_at"))
        .order_by("publication")[:AHEAD]
    )
)
CLAIM = """
    UPDATE onboarding_lane SET claims = claims + 1, leased_until = %s WHERE id = (
        SELECT id FROM onboarding_lane
        WHERE webhook_id = %s AND due_at <= %s AND (leased_until IS NULL OR leased_until <= %s)
        ORDER BY due_at, id LIMIT 1 {lock}
    ) RETURNING id, lead_id, claims
"""
KEEP = "UPDATE onboarding_lane SET leased_until = %s WHERE id = %s AND claims = %s RETURNING id"
END_LEASE = "UPDATE onboarding_lane SET leased_until = NULL, due_at = %s WHERE id = %s"


class LeaseLost(Exception):
    """The lease of a lane ended, and another runner has claimed the lane since."""


class _Shares:
    """Counts of runners, the threads that send deliveries, and the limits for further runners.

    All webhooks have three quarters of a worker's threads. Slow webhooks have separate limits, so
    that they take no thread from a webhook that responds quickly.
    """

    def __init__(self, served: Iterable[tuple[Webhook, bool]]) -> None:
        self.threads = settings.CELERY_WORKER_CONCURRENCY
        self.lanes, self.partners, self.kinds = Counter[int](), Counter[Any](), Counter[bool]()
        for webhook, is_slow in served:
            self.take(webhook, is_slow=is_slow)

    def take(self, webhook: Webhook, *, is_slow: bool) -> None:
        """Add one runner of a webhook to the counts of the webhook, its partner and its speed."""
        self.lanes[webhook.pk] += 1
        self.partners[webhook.partner_id, is_slow] += 1
        self.kinds[is_slow] += 1

    def allow(self, webhook: Webhook, *, is_slow: bool, turn: int, at: datetime) -> bool:
        """Return whether a webhook that has fewer than `turn` runners may get another runner.

        In turn 0 a webhook may get only its first runner, while its partner has less than a quarter
        of the threads. Any further runner needs more than half of the threads to be free. A second
        runner needs a webhook that `_is_steady`, too.
        """
        of_partner = self.partners[webhook.partner_id, is_slow]
        if is_slow and self.kinds[is_slow] >= max(self.threads // 4, 1):
            return False
        if of_partner >= most_of_partner(is_slow=is_slow):
            return False
        free, has = self.threads * 3 // 4 - self.kinds.total(), self.lanes[webhook.pk]
        if has == 0 and of_partner < max(self.threads // 4, 1):
            return free > 0
        is_steady = has == 0 or _is_steady(webhook, at=at)
        return has < turn and free > self.threads // 4 and is_steady


def list_needing_workers(*, at: datetime) -> list[int]:
    """Return the keys of webhooks that wait for runners, once per runner that each may get.

    The webhook that has waited longest comes first. Each gets a runner before any gets a second.
    A second runner, or more than a quarter of the threads for one partner, requires that half of
    the threads are free. A webhook that only fails gets no second runner.
    """
    waiting = _count(Lane.objects.due(at=at))
    leased = Lane.objects.filter(leased_until__gt=at)
    served = list(leased.values_list("webhook", "leased_until", "webhook__slow_since"))
    webhooks = Webhook.objects.filter(pk__in={*waiting, *(pk for pk, _, _ in served)})
    known = webhooks.only("partner", "failing_since", "slow_since").in_bulk()
    slow = _slow(served, at=at) | {pk for pk, webhook in known.items() if webhook.slow_since}
    shares = _Shares((known[pk], pk in slow) for pk, _, _ in served)
    wanted = Counter[int]()
    for turn in range(settings.WEBHOOK_LANES + 1):
        for pk in (pk for pk, count in waiting.items() if wanted[pk] < count):
            is_short = shares.lanes[pk] < settings.WEBHOOK_LANES
            if is_short and shares.allow(known[pk], is_slow=pk in slow, turn=turn, at=at):
                shares.take(known[pk], is_slow=pk in slow)
                wanted[pk] += 1
    return list(wanted.elements())


def most_of_partner(*, is_slow: bool = False) -> int:
    """Return how many lanes of a partner's slow, or of its other, webhooks are served at most."""
    return max(settings.CELERY_WORKER_CONCURRENCY // (8 if is_slow else 2), 1)


def claim(webhook_id: int, *, at: datetime) -> Lane | None:
    """Claim, for LEASE, the free lane of a webhook that has been due for the longest time.

    Shape: a Lane with its key, lead, claims and the webhook, read again; the times are not set.
    None if no lane is due, the limits are reached, or the webhook is not active.
    """
    served = SERVED.all(webhook=webhook_id, at=at)
    webhook = WEBHOOK.first(webhook=webhook_id)
    if webhook is None or not webhook.is_active:
        return None
    slow = _slow(served, at=at) | ({webhook_id} if webhook.slow_since else set())
    is_slow = webhook_id in slow
    alike = [pk for pk, _, _ in served if (pk in slow) == is_slow]
    most = most_of_partner(is_slow=is_slow)
    if alike.count(webhook_id) >= settings.WEBHOOK_LANES or len(alike) >= most:
        return None
    can_skip = connection.features.has_select_for_update_skip_locked
    claim = CLAIM.format(lock="FOR UPDATE SKIP LOCKED" if can_skip else "")
    taken = prepared_statements.fetch(
        claim, [stored(at + LEASE), webhook_id, stored(at), stored(at)]
    )
    for pk, lead, claims in taken:
        return Lane(pk=pk, webhook=webhook, lead_id=lead, claims=claims)
    return None


def keep(lane: Lane, *, at: datetime) -> None:
    """Extend the lease of a lane to LEASE after `at`, also an ended lease that nobody claimed.

    Raises: LeaseLost if another runner has claimed the lane.
    """
    if not prepared_statements.fetch(KEEP, [stored(at + LEASE), lane.pk, lane.claims]):
        raise LeaseLost


def lock(lane: Lane) -> None:
    """Lock the row of a leased lane for the rest of the transaction. Raises: LeaseLost.

    Uses SELECT FOR UPDATE, not `keep`: a second UPDATE of the row in the transaction would recheck
    its foreign keys on PostgreSQL, and could deadlock with publishers.
    """
    if not LOCKED.all(lane=lane.pk, claims=lane.claims):
        raise LeaseLost


def end_lease(lane: Lane, *, at: datetime) -> None:
    """End the lease of a locked lane, and set its next due time.

    Sees deliveries that were queued meanwhile, since `mark_due` locks the lane, too.
    """
    prepared_statements.execute(END_LEASE, [stored(_next_due(lane, at=at)), lane.pk])


@transaction.atomic
def release(lane: Lane, *, at: datetime) -> None:
    """Lock a lane and end its lease. Raises: LeaseLost."""
    lock(lane)
    end_lease(lane, at=at)


def stored(timestamp: datetime | None) -> Any:
    """Return a timestamp adapted to the database, as a parameter of raw SQL."""
    return timestamp and connection.ops.adapt_datetimefield_value(timestamp)


def _next_due(lane: Lane, *, at: datetime) -> datetime | None:
    """Return the time at which a lane has a delivery to send; None if no delivery waits."""
    timestamps = []
    for delivery in WAITING.all(lane=lane.pk):
        timestamps.append(delivery.next_attempt_at)
        if not _lets_pass(lane, delivery, at=at):
            if delivery.failing_since:
                timestamps.append(delivery.failing_since + MAX_LANE_DELAY)
            break
    return min(filter(None, timestamps), default=None)


def list_ready(lane: Lane, *, at: datetime) -> list[Delivery]:
    """Return the deliveries of a lane to send now, in order, among its first AHEAD that wait.

    A delivery that waits for a retry holds back later deliveries, for MAX_LANE_DELAY at most.
    """
    ready: list[Delivery] = []
    for delivery in WAITING.all(lane=lane.pk):
        if delivery.next_attempt_at and delivery.next_attempt_at <= at:
            ready.append(delivery)
        elif not _lets_pass(lane, delivery, at=at):
            break
    return ready


def written_at(delivery: Delivery) -> datetime | None:
    """Return when the event of a delivery from `list_ready` was written; None for a test."""
    found: datetime | None = vars(delivery)["written_at"]
    return found


def _lets_pass(lane: Lane, delivery: Delivery, *, at: datetime) -> bool:
    """Return whether later deliveries may be sent before a delivery that is not due yet.

    They may once it has failed for MAX_LANE_DELAY, or if fault injection reorders it.
    """
    if delivery.failing_since:
        return delivery.failing_since + MAX_LANE_DELAY <= at
    return fault_injection.plan_delivery(lane.webhook, delivery.publication).out_of_order


def ensure(webhook: Webhook, leads: Collection[int | None]) -> dict[int | None, Lane]:
    """Return the lane of each lead, by lead id, creating missing lanes. Safe to call concurrently.

    The lane of tests is under None, if there is one.
    """
    wanted = Q(lead__in={*leads} - {None}) | Q(lead=None)
    found = Lane.objects.filter(wanted, webhook=webhook)
    known = {lane.lead_id: lane for lane in found}
    if missing := {*leads} - known.keys():
        new = [Lane(webhook=webhook, lead_id=lead) for lead in missing]
        Lane.objects.bulk_create(new, ignore_conflicts=True)
        known = {lane.lead_id: lane for lane in found.all()}
    return known


def mark_due(lanes: Collection[int], *, at: datetime) -> None:
    """Mark lanes as due at `at`; an earlier due time stays.

    Call it in the transaction that queues the deliveries. It locks the lanes, so a runner that
    ends its lease afterwards sees these deliveries when it computes the next due time.
    """
    due_at = Least(Coalesce("due_at", Value(at)), Value(at))
    Lane.objects.filter(pk__in=lanes).update(due_at=due_at)


def _count(lanes: LaneQuerySet) -> dict[int, int]:
    """Return the number of lanes per webhook, the webhook with the oldest due lane first."""
    counted = lanes.values("webhook").annotate(count=Count("pk"), since=Min("due_at"))
    return dict(counted.order_by("since", "webhook").values_list("webhook", "count"))


def _slow(served: Iterable[tuple[int, Any, datetime | None]], *, at: datetime) -> set[int]:
    """Return the keys of webhooks marked as slow, or without a response for SLOW_AFTER or longer.

    Shape: `served` has the webhook of a lane, the end of its lease, and `slow_since`. Each
    response extends the lease.
    """
    silent = at + LEASE - SLOW_AFTER
    return {pk for pk, until, slow_since in served if slow_since or until <= silent}


def _is_steady(webhook: Webhook, *, at: datetime) -> bool:
    """Return False if a webhook has only failed for UNSTEADY_AFTER or longer."""
    return webhook.failing_since is None or webhook.failing_since > at - UNSTEADY_AFTER

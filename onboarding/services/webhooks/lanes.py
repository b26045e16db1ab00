"""Lanes: who sends what when. What one lead's events share on their way to one webhook."""

from collections import Counter
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Count, Min, Q, Value
from django.db.models.functions import Coalesce, Least

from foundation.database import prepared_statements
from foundation.database.compiled_queries import CompiledQuery
from onboarding.models import Delivery, Lane, Webhook
from onboarding.models.webhooks import HOLDS_BACK, LaneQuerySet
from onboarding.services.webhooks import fault_injection

LEASE = timedelta(seconds=30)  # more than one POST takes
AHEAD = 50  # deliveries of a lane that are looked at together
UNSTEADY_AFTER = timedelta(minutes=1)  # of nothing but failure a webhook gets one lane at a time
SLOW_AFTER = timedelta(seconds=2)  # a POST that takes longer makes its webhook slow

# The statements of every delivery; written by the ORM each time, they would cost three times the
# CPU of one worker that has much to send.
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
LET_GO = "UPDATE onboarding_lane SET leased_until = NULL, due_at = %s WHERE id = %s"


class Lost(Exception):
    """The lease of a lane ended, and somebody else may have it."""


class _Shares:
    """The threads that runners have, and the shares of them that more runners may get.

    All webhooks have three quarters of a worker's threads. Slow webhooks have shares of their own,
    so that none of them takes a thread from a webhook that answers.
    """

    def __init__(self, served: Iterable[tuple[Webhook, bool]]) -> None:
        self.threads = settings.CELERY_WORKER_CONCURRENCY
        self.lanes, self.partners, self.kinds = Counter[int](), Counter[Any](), Counter[bool]()
        for webhook, is_slow in served:
            self.take(webhook, is_slow=is_slow)

    def take(self, webhook: Webhook, *, is_slow: bool) -> None:
        """Count a runner of a webhook."""
        self.lanes[webhook.pk] += 1
        self.partners[webhook.partner_id, is_slow] += 1
        self.kinds[is_slow] += 1

    def allow(self, webhook: Webhook, *, is_slow: bool, turn: int, at: datetime) -> bool:
        """Return whether a webhook that has fewer than `turn` runners may have one more.

        In turn 0 a webhook gets its first, within its partner's share.
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


def list_short_handed(*, at: datetime) -> list[int]:
    """Return webhooks that wait for runners, each once for every runner that it may have.

    The webhook that has waited longest comes first. Each gets a runner before any gets a second;
    a second one, or more than a quarter of the threads for one partner, is for quiet times, in
    which half of the threads are free. A webhook that only fails has no second.
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
    """Return how many lanes of one partner are served at once; its slow webhooks count apart."""
    return max(settings.CELERY_WORKER_CONCURRENCY // (8 if is_slow else 2), 1)


def claim(webhook_id: int, *, at: datetime) -> Lane | None:
    """Take a lane in which something is due; None if there is none, or enough are being served.

    With it comes the webhook as it is now, which is active.
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
    """Prolong the lease of a lane, within the transaction that writes. Raises: Lost."""
    if not prepared_statements.fetch(KEEP, [stored(at + LEASE), lane.pk, lane.claims]):
        raise Lost


def lock(lane: Lane) -> None:
    """Lock a lane of which the transaction will let go. Raises: Lost.

    Not by `keep`: a row that is updated twice in a transaction has its foreign keys checked by
    PostgreSQL, which would wait for publishers, as they wait for lanes.
    """
    if not LOCKED.all(lane=lane.pk, claims=lane.claims):
        raise Lost


def let_go(lane: Lane, *, at: datetime) -> None:
    """End the lease of a lane that is locked.

    What was entered meanwhile is seen, for entering it wakes the lane.
    """
    prepared_statements.execute(LET_GO, [stored(_next_due(lane, at=at)), lane.pk])


@transaction.atomic
def release(lane: Lane, *, at: datetime) -> None:
    """End the lease of a lane of which nothing more is sent. Raises: Lost."""
    lock(lane)
    let_go(lane, at=at)


def stored(moment: datetime | None) -> Any:
    """Return a moment as the database takes it in a statement that is written by hand."""
    return moment and connection.ops.adapt_datetimefield_value(moment)


def _next_due(lane: Lane, *, at: datetime) -> datetime | None:
    """Return when there is something to send in a lane; None if nothing waits."""
    moments = []
    for delivery in WAITING.all(lane=lane.pk):
        moments.append(delivery.next_attempt_at)
        if not _lets_pass(lane, delivery, at=at):
            if delivery.failing_since:
                moments.append(delivery.failing_since + HOLDS_BACK)
            break
    return min(filter(None, moments), default=None)


def list_ready(lane: Lane, *, at: datetime) -> list[Delivery]:
    """Return what may be sent now, in order; a failure holds back those after it for a while."""
    ready = []
    for delivery in WAITING.all(lane=lane.pk):
        if delivery.next_attempt_at and delivery.next_attempt_at <= at:
            ready.append(delivery)
        elif not _lets_pass(lane, delivery, at=at):
            break
    return ready


def _lets_pass(lane: Lane, delivery: Delivery, *, at: datetime) -> bool:
    """Say whether those after a delivery may go before it: it has failed for long enough."""
    if delivery.failing_since:
        return delivery.failing_since + HOLDS_BACK <= at
    return fault_injection.fate(lane.webhook, delivery.publication).out_of_order


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


def _count(lanes: LaneQuerySet) -> dict[int, int]:
    """Return how many lanes there are of each webhook, that with the oldest due lane first."""
    counted = lanes.values("webhook").annotate(count=Count("pk"), since=Min("due_at"))
    return dict(counted.order_by("since", "webhook").values_list("webhook", "count"))


def _slow(served: Iterable[tuple[int, Any, datetime | None]], *, at: datetime) -> set[int]:
    """Return the webhooks whose last POST was slow, or which have not answered for so long now.

    Shape: `served` has the webhook of a lane, the end of its lease, and `slow_since`. A lease is
    prolonged with each answer.
    """
    silent = at + LEASE - SLOW_AFTER
    return {pk for pk, until, slow_since in served if slow_since or until <= silent}


def _is_steady(webhook: Webhook, *, at: datetime) -> bool:
    """Say whether a webhook did not fail lately and do nothing else since."""
    return webhook.failing_since is None or webhook.failing_since > at - UNSTEADY_AFTER

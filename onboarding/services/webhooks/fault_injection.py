"""Fault injection (chaos): deliveries dropped, repeated, delayed or reordered in the sandbox."""

from dataclasses import dataclass
from datetime import timedelta
from random import Random

from django.conf import settings

from onboarding.event_types import TEST_EVENT
from onboarding.models import Publication, Webhook


@dataclass(frozen=True)
class Plan:
    """The faults of a delivery: it is dropped, or sent `copies` times, not before `delay`.

    An out-of-order delivery is sent after the deliveries that follow it.
    """

    drop: bool = False
    copies: int = 1
    delay: timedelta = timedelta()
    out_of_order: bool = False


UNDISTURBED = Plan()
OVERTAKEN_FOR = timedelta(seconds=2)  # extra delay of an out-of-order event


def plan(webhook: Webhook, publication: Publication, *, random: Random) -> Plan:
    """Return the faults of a publication under the webhook's chaos; none for tests or production.

    In `webhook.chaos`, `drop`, `duplicate` and `reorder` are probabilities from 0 to 1, and
    `delay_seconds` is a fixed delay. All three faults are drawn each time, so that a seed of
    `random` gives the same draws under every setting.
    """
    chaos = webhook.chaos
    if not chaos or publication.type == TEST_EVENT or not settings.IS_SANDBOX:
        return UNDISTURBED
    drop, duplicate, reorder = (
        random.random() < chaos.get(name, 0) for name in ("drop", "duplicate", "reorder")
    )
    if drop:
        return Plan(drop=True, copies=0)
    delay = timedelta(seconds=chaos.get("delay_seconds", 0))
    return Plan(copies=1 + duplicate, delay=delay, out_of_order=reorder)


def plan_delivery(webhook: Webhook, publication: Publication) -> Plan:
    """Return the plan for a delivery, the same at every call."""
    seed = f"{webhook.external_id} {publication.message_id}"
    return plan(webhook, publication, random=Random(seed))  # noqa: S311 - no secret

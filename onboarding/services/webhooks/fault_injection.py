"""Chaos: what the sandbox does to deliveries on purpose, so that receivers can be tried out."""

from dataclasses import dataclass
from datetime import timedelta
from random import Random

from django.conf import settings

from onboarding.event_types import TEST_EVENT
from onboarding.models import Publication, Webhook


@dataclass(frozen=True)
class Plan:
    """What happens to one delivery: it is dropped, or goes `copies` times, no sooner than `delay`.

    One that is out of order goes after those that follow it.
    """

    drop: bool = False
    copies: int = 1
    delay: timedelta = timedelta()
    out_of_order: bool = False


UNDISTURBED = Plan()
OVERTAKEN_FOR = timedelta(seconds=2)  # an event that is put out of order


def plan(webhook: Webhook, publication: Publication, *, random: Random) -> Plan:
    """Return what the webhook's chaos does to a publication; nothing to a test, or in production.

    Of a chaos, `drop`, `duplicate` and `reorder` are shares of deliveries from 0 to 1. Each is
    drawn whether it matters or not, so that one seed gives the same fates under any of them.
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


def fate(webhook: Webhook, publication: Publication) -> Plan:
    """Return the plan for a delivery: the same whenever it is asked for."""
    seed = f"{webhook.external_id} {publication.message_id}"
    return plan(webhook, publication, random=Random(seed))  # noqa: S311 - a game, no secret

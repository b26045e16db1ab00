"""Reads of the event feed: the events that webhooks are sent, in the same order."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import F, Min, Subquery

from onboarding.errors import ErrorCode, Fault, Refused
from onboarding.event_types import TEST_EVENT
from onboarding.models import Partner, Publication

CLOCK_DIFFERENCE = timedelta(minutes=10)  # at most, between two publishing machines


class EventNotFound(Refused):
    """No event of this partner has the id; tests of webhooks are not events of the feed."""

    code = ErrorCode.EVENT_NOT_FOUND


class EventsGone(Refused):
    """Events after this position are no longer shown, so the feed cannot continue from it."""

    code = ErrorCode.EVENTS_GONE


@dataclass(frozen=True)
class Feed:
    """A page of events, oldest first, as JSON texts.

    `next_after` is the id of the event to read on from, also if no event follows yet; None as long
    as there is none.
    """

    bodies: list[str]
    next_after: str | None
    has_more: bool


def read_feed(*, partner: Partner, at: datetime, size: int, after: str = "") -> Feed:
    """Return the partner's events published after the event `after`, or all that are shown.

    Events are shown for settings.EVENTS_SHOWN_FOR. Tests of webhooks are excluded: requests publish
    them concurrently, so their position has no meaning. Raises: EventNotFound, EventsGone.
    """
    since = at - settings.EVENTS_SHOWN_FOR
    events = Publication.objects.filter(partner=partner).exclude(type=TEST_EVENT)
    if after:
        last = events.filter(message_id=after).values_list("pk", flat=True).first()
        if last is None:
            raise EventNotFound([Fault(ErrorCode.EVENT_NOT_FOUND, ("after",))])
        following = events.filter(pk__gt=last)
    else:
        following = events.filter(published_at__gte=since, pk__gte=_first_key(partner, since))
    found = list(
        following.order_by("pk").values_list("message_id", "body", "published_at")[: size + 1]
    )
    if found and found[0][2] < since:
        days = {"days": settings.EVENTS_SHOWN_FOR.days}
        raise EventsGone([Fault(ErrorCode.EVENTS_GONE, ("after",), days)])
    shown = found[:size]
    return Feed(
        bodies=[body for _, body, _ in shown],
        next_after=shown[-1][0] if shown else after or None,
        has_more=len(found) > size,
    )


def _first_key(partner: Partner, since: datetime) -> Subquery:
    """Return a subquery for the lowest key of the partner's publications from `since` on.

    Keys and times grow together but for the clocks of the publishing machines, so the lowest key is
    among the first CLOCK_DIFFERENCE of that time. For the minimum of the plain key, PostgreSQL
    would scan keys from the partner's first publication on; adding 0 prevents that plan.
    """
    recent = Publication.objects.filter(partner=partner, published_at__gte=since)
    earliest = recent.order_by("published_at").values("published_at")[:1]
    first = recent.filter(published_at__lte=Subquery(earliest) + CLOCK_DIFFERENCE)
    lowest = first.order_by().values("partner").annotate(lowest=Min(F("pk") + 0))
    return Subquery(lowest.values("lowest"))

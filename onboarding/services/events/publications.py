"""Publications: events of leads, composed for their partners by one publisher at a time."""

import logging
from collections.abc import Collection, Iterable
from datetime import datetime
from itertools import groupby

from django.db import OperationalError, connection, transaction
from django.db.models import F, QuerySet

from foundation.tracing import spans
from onboarding.choices import WebhookStatus
from onboarding.event_types import EventType
from onboarding.models import Application, Event, Lead, Publication, Webhook
from onboarding.models.leads import UNPUBLISHED
from onboarding.services.events import payloads
from onboarding.services.mails import outbox
from onboarding.services.webhooks import deliveries

logger = logging.getLogger(__name__)

BATCH_SIZE = 200  # leads
LOCK = 7_210_455_001  # key of the advisory lock of publishers, on PostgreSQL only
IDENTITY = ["external_id", "partner", "unique_id", "email", "last_sequence", "published_sequence"]


def publish(*, at: datetime) -> int:
    """Publish the unpublished events of at most BATCH_SIZE leads; return the number of leads.

    Each event becomes a publication, its deliveries and its mail in one transaction. Publishes
    nothing while another publisher runs, so that keys of publications grow in the order of
    commits. Locked leads are skipped; a failing lead is logged and does not hold up other leads.
    Raises: OperationalError.
    """
    try:
        return _publish(Lead.objects.filter(UNPUBLISHED).order_by("pk")[:BATCH_SIZE], at=at)
    except OperationalError:
        raise
    except Exception:
        logger.exception("some events could not be published; each lead is tried by itself")
    waiting = Lead.objects.filter(UNPUBLISHED).order_by("pk").values_list("pk", flat=True)
    return sum(_publish_alone(pk, at=at) for pk in list(waiting[:BATCH_SIZE]))


def _publish_alone(pk: int, *, at: datetime) -> int:
    try:
        return _publish(Lead.objects.filter(UNPUBLISHED, pk=pk), at=at)
    except OperationalError:
        raise
    except Exception:
        logger.exception("the events of lead %s could not be published", pk)
        return 0


@transaction.atomic
def _publish(unpublished: QuerySet[Lead], *, at: datetime) -> int:
    """Publish the events of these leads, all or none of them; return the number of leads.

    Returns 0 while another publisher runs.
    """
    if not _is_alone():
        return 0
    locked = unpublished.select_for_update(of=("self",), skip_locked=True)
    leads = {lead.pk: lead for lead in locked.only(*IDENTITY)}
    if not leads:
        return 0
    events = _events(leads)
    publications = Publication.objects.bulk_create(_compose(events, at=at))
    for webhook, wanted in _wanted(publications):
        deliveries.enter(webhook, wanted, at=at)
    outbox.queue_for_events(events, at=at)
    Lead.objects.filter(pk__in=leads).update(published_sequence=F("last_sequence"))
    return len(leads)


def _is_alone() -> bool:
    """Take the advisory lock of publishers until the end of the transaction, if it is free.

    Return whether it was. Always true on SQLite, which has one writer anyway.
    """
    if connection.vendor != "postgresql":
        return True
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [LOCK])
        [is_alone] = cursor.fetchone() or [False]
        return bool(is_alone)


def _events(leads: dict[int, Lead]) -> list[Event]:
    """Return the events to publish, with the locked leads set on them."""
    unpublished = Event.objects.filter(
        lead__in=leads, sequence__gt=F("lead__published_sequence")
    ).order_by("lead", "sequence")
    events = list(unpublished)
    applications = Application.objects.in_bulk({event.application_id for event in events})
    for event in events:
        event.lead = leads[event.lead_id]
        event.application = applications[event.application_id]
        event.application.lead = event.lead
    return events


def _compose(events: Collection[Event], *, at: datetime) -> list[Publication]:
    first_asked = _first_asked(events)
    return [
        _compose_one(event, first_asked=first_asked.get(event.application_id, 0), at=at)
        for event in events
    ]


def _compose_one(event: Event, *, first_asked: int, at: datetime) -> Publication:
    with spans.work(
        f"publish {event.type}", request_id=event.request_id, parent=event.traceparent
    ) as span:
        return Publication(
            message_id=payloads.message_id(event),
            partner_id=event.lead.partner_id,
            lead=event.lead,
            event=event,
            type=event.type,
            body=payloads.compose(event, is_repeated=event.number > first_asked),
            published_at=at,
            request_id=event.request_id or None,
            traceparent=span.traceparent,
        )


def _first_asked(events: Iterable[Event]) -> dict[int, int]:
    """Return the number of the first DOCUMENTS_REQUIRED event of each application, by its key.

    Only applications with such an event among `events` are included.
    """
    asked = EventType.DOCUMENTS_REQUIRED
    applications = {event.application_id for event in events if event.type == asked}
    if not applications:
        return {}
    earlier = Event.objects.filter(application__in=applications, type=asked).order_by("-number")
    return dict(earlier.values_list("application_id", "number"))


def _wanted(publications: list[Publication]) -> Iterable[tuple[Webhook, list[Publication]]]:
    """Yield each active webhook with the publications of its partner whose types it receives.

    A webhook that receives none of them is left out.
    """
    ordered = sorted(publications, key=lambda one: one.partner_id)
    news = {partner: list(group) for partner, group in groupby(ordered, lambda o: o.partner_id)}
    active = Webhook.objects.filter(partner__in=news, status=WebhookStatus.ACTIVE).order_by("pk")
    for webhook in active:
        wanted = [one for one in news[webhook.partner_id] if webhook.wants(one.type)]
        if wanted:
            yield webhook, wanted

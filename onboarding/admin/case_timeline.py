"""Case timeline: events, webhook deliveries and mails of a lead, newest first."""

from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Any

from django.db import models
from django.utils.html import format_html

from foundation.backoffice.lists import link_to_list, may_view
from foundation.backoffice.screens import badge, link_to
from onboarding.admin.deliveries import TYPES, UNREAD
from onboarding.admin.event_words import summary
from onboarding.admin.staff_names import list_names
from onboarding.admin.statuses import status_badge
from onboarding.choices import Role
from onboarding.event_types import OWNER_MAILS, STAFF_MAILS
from onboarding.models import Delivery, Event, Mail

NEWEST = 50


class TimelineFilter(models.TextChoices):
    """The filters of the timeline."""

    ALL = "all", "Everything"
    PARTNER = "partner", "API calls"
    APPLICANT = "applicant", "Applicant"
    OWNER = "owner", "Owners"
    CHECKS = "checks", "Checks"
    STAFF = "staff", "Staff"
    CLOCK = "clock", "Clock"
    BANK = "bank", "The bank's systems"
    DOCUMENTS = "documents", "Documents"
    WEBHOOKS = "webhooks", "Webhooks"
    MAILS = "mails", "Mails"


EVENTS = {
    TimelineFilter.ALL: {},
    TimelineFilter.PARTNER: {"role": Role.PARTNER},
    TimelineFilter.APPLICANT: {"role": Role.APPLICANT},
    TimelineFilter.OWNER: {"role": Role.OWNER},
    TimelineFilter.CHECKS: {"role": Role.CHECKS},
    TimelineFilter.STAFF: {"role": Role.REVIEWER},
    TimelineFilter.CLOCK: {"role": Role.CLOCK},
    TimelineFilter.BANK: {"role": Role.BANK},
    TimelineFilter.DOCUMENTS: {"type__startswith": "document."},
}


@dataclass(frozen=True)
class Entry:
    """An entry of the timeline; `attempt` is set if it is about another attempt of the lead."""

    at: datetime
    kind: str
    title: Any
    who: str
    text: str = ""
    mark: str = ""
    attempt: int | None = None
    request_id: str = ""


def timeline_of(request, application):
    """Return the template context of the timeline: the last NEWEST entries that the user may view.

    The query parameter `show` has the filter; an unknown filter shows everything.
    """
    asked = request.GET.get("show", "")
    shown = TimelineFilter(asked) if asked in TimelineFilter.values else TimelineFilter.ALL
    entries = [
        *(_events(application, shown) if may_view(request, Event) else []),
        *(_deliveries(application, shown) if may_view(request, Delivery) else []),
        *(_mails(application, shown) if may_view(request, Mail) else []),
    ]
    entries.sort(key=attrgetter("at"), reverse=True)
    more = link_to_list(Event, "All events", lead=application.lead_id)
    return {
        "entries": entries[:NEWEST],
        "shown": shown,
        "choices": list(TimelineFilter),
        "more": more if may_view(request, Event) else "",
    }


def _events(application, shown):
    if shown not in EVENTS:
        return []
    found = Event.objects.filter(lead=application.lead_id, **EVENTS[shown])
    newest = list(found.select_related("application").order_by("-number")[:NEWEST])
    names = list_names({event.who for event in newest})
    return [_event(event, names, application) for event in newest]


def _event(event, names, application):
    change = (
        format_html("{} → {}", status_badge(event.previous_status), status_badge(event.status))
        if event.previous_status
        else ""
    )
    is_other = event.application_id != application.pk
    return Entry(
        at=event.occurred_at,
        kind=event.role.lower(),
        title=link_to(event, event.get_type_display()),
        who=names.get(event.who) or event.get_role_display(),
        text=summary(event),
        mark=change,
        attempt=event.application.attempt if is_other else None,
        request_id=event.request_id,
    )


def _deliveries(application, shown):
    if shown not in {TimelineFilter.ALL, TimelineFilter.WEBHOOKS}:
        return []
    of_lead = Delivery.objects.filter(
        lane__lead=application.lead_id, lane__webhook__deleted_at=None
    ).select_related("lane__webhook", "publication")
    unread = [name for name in UNREAD if not name.startswith("publication__lead")]
    return [_delivery(delivery) for delivery in of_lead.defer(*unread).order_by("-pk")[:NEWEST]]


def _delivery(delivery):
    attempts = f"{delivery.attempts} attempt{'' if delivery.attempts == 1 else 's'}"
    return Entry(
        at=delivery.finished_at or delivery.created_at,
        kind="webhooks",
        title=link_to(delivery, f"Webhook: {TYPES[delivery.publication.type]}"),
        who=delivery.lane.webhook.server_url,
        text="; ".join(filter(None, [attempts, delivery.fault])),
        mark=badge(delivery.shown_status, delivery.shown_status.label),
    )


def _mails(application, shown):
    if shown not in {TimelineFilter.ALL, TimelineFilter.MAILS}:
        return []
    of_lead = Mail.objects.filter(application__lead=application.lead_id)
    newest = of_lead.select_related("application").only(
        "kind", "status", "fault", "sent_at", "created_at", "application__attempt"
    )
    return [_mail(mail, application) for mail in newest.order_by("-pk")[:NEWEST]]


def _mail(mail, application):
    is_other = mail.application_id != application.pk
    return Entry(
        at=mail.sent_at or mail.created_at,
        kind="mails",
        title=link_to(mail, f"Mail: {mail.get_kind_display()}"),
        who=_reader(mail),
        text=mail.fault,
        mark=badge(mail.status, mail.get_status_display()),
        attempt=mail.application.attempt if is_other else None,
    )


def _reader(mail):
    if mail.kind in STAFF_MAILS:
        return "To staff"
    return "To an owner" if mail.kind in OWNER_MAILS else "To the applicant"

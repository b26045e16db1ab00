"""Audit exports: the events of a lead as a file whose chain of digests can be verified.

One JSON object per line: first `lead`, then each `event` with all inputs of its digest, last
`summary`. Verification needs no database.
"""

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from banking.models import User
from foundation.database.snapshots import snapshot
from onboarding.event_types import EventType
from onboarding.models import Application, Event, Lead
from onboarding.queries import audit
from onboarding.queries.leads import lock_application
from onboarding.services.events import history
from onboarding.services.reviews import cases

AS_THEY_ARE = ["number", "sequence", "type", "role", "who", "status", "previous_status", "details"]
AS_THEY_ARE += ["request_id", "previous_digest", "digest"]


class NoAuditFile(Exception):
    """The file is not a complete audit export."""


def export(lead: Lead, *, by: User, at: datetime) -> list[str]:
    """Record an export of a lead's events, and return the lines of the file.

    All lines are read in one snapshot.
    """
    record_export(lead, by=by, at=at)
    with snapshot():
        fresh = Lead.objects.select_related("partner").get(pk=lead.pk)
        return list(write_lines(fresh))


@transaction.atomic
def record_export(lead: Lead, *, by: User, at: datetime) -> None:
    """Record an export of a lead's events as the lead's newest event, which is exported, too.

    Raises: Application.DoesNotExist if the lead has no current application.
    """
    application = lock_application(lead=lead)
    if application is None:
        raise Application.DoesNotExist
    history.record(application, EventType.EXPORTED, by=cases.actor(by), at=at)


def write_lines(lead: Lead) -> Iterator[str]:
    """Yield the lines of the file, each with a line break. Call it in a snapshot."""
    events = list(lead.events.order_by("number").select_related("application"))
    yield _line("lead", _facts(lead))
    for event in events:
        event.lead = lead
        yield _line("event", digest_input(event))
    faults = list(audit.find_faults_of(lead))
    summary = {"events": len(events), "last_digest": lead.last_digest, "is_whole": not faults}
    yield _line("summary", {**summary, "faults": [str(finding) for finding in faults]})


def verify_lines(lines: Iterable[str]) -> list[str]:
    """Return the faults of an exported file, empty if it is sound, without using the database.

    Raises: NoAuditFile if the lines are not a complete export of a lead.
    """
    try:
        parts = [next(iter(json.loads(line).items())) for line in lines if line.strip()]
        [lead, summary] = [_only(parts, "lead"), _only(parts, "summary")]
        events = [read_event(lead["id"], values) for name, values in parts if name == "event"]
        end = (int(summary["events"]), str(summary["last_digest"]))
    except (ValueError, KeyError, TypeError, AttributeError, StopIteration) as exc:
        raise NoAuditFile("This is no whole export of an audit.") from exc
    faults = [f"event {number} {fault}" for number, fault in audit.follow(events)]
    if end != (len(events), events[-1].digest if events else ""):
        faults.append("the events do not end where the summary says")
    return faults


def _line(name: str, values: dict[str, Any]) -> str:
    return json.dumps({name: values}, sort_keys=True) + "\n"


def _facts(lead: Lead) -> dict[str, Any]:
    """Return the ids and times of a lead, without personal data."""
    applications = lead.applications.order_by("attempt").values_list("external_id", "attempt")
    return {
        "id": str(lead.external_id),
        "partner": str(lead.partner.external_id),
        "created_at": lead.created_at.isoformat(),
        "erased_at": lead.erased_at.isoformat() if lead.erased_at else None,
        "applications": [{"id": str(pk), "attempt": attempt} for pk, attempt in applications],
    }


def digest_input(event: Event) -> dict[str, Any]:
    """Return all inputs of the digest of an event, and the digest."""
    return {
        "id": str(event.external_id),
        "lead": str(event.lead.external_id),
        "application": str(event.application.external_id),
        "occurred_at": event.occurred_at.isoformat(timespec="microseconds"),
        **{name: getattr(event, name) for name in AS_THEY_ARE},
    }


def read_event(lead_id: str, values: dict[str, Any]) -> Event:
    """Return the event of an exported line; it must not be saved.

    Raises: ValueError, also for an event of another lead; KeyError for a missing value.
    """
    if values["lead"] != lead_id:
        raise ValueError(values["lead"])
    return Event(
        external_id=UUID(values["id"]),
        lead=Lead(external_id=UUID(values["lead"])),
        application=Application(external_id=UUID(values["application"])),
        occurred_at=datetime.fromisoformat(values["occurred_at"]),
        **{name: values[name] for name in AS_THEY_ARE},
    )


def _only(parts: list[tuple[str, Any]], wanted: str) -> dict[str, Any]:
    [values] = [values for name, values in parts if name == wanted]
    return dict(values)

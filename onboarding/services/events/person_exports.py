"""Person exports: all that a member of staff did, as a file that can be verified.

One JSON object per line: first `person`, then each `event` of a lead and each `staff_event` with
all inputs of its digest, then each `log_entry` of the back office, last `summary`. Verification
needs no database: each digest is computed again, and `lines_digest` covers every line before the
summary.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.admin.models import LogEntry
from django.db import transaction

from banking.choices import StaffEventType
from banking.models import StaffEvent, User
from banking.services import staff_history
from foundation.database.snapshots import snapshot
from onboarding.models import Event
from onboarding.services.events import audit_exports
from onboarding.services.events.audit_exports import NoAuditFile

STAFF_FIELDS = ["number", "type", "who", "details", "request_id", "previous_digest", "digest"]
KINDS = ["event", "staff_event", "log_entry"]


def export(person: User, *, by: User, at: datetime) -> Iterator[str]:
    """Record an export of all that a member of staff did, and return the lines of the file.

    The lines are read from the database while the result is iterated.
    """
    record_export(person, by=by, at=at)
    return write_lines(person)


@transaction.atomic
def record_export(person: User, *, by: User | None, at: datetime) -> None:
    """Record an export of all that `person` did as a staff event; `by` is None for an operator."""
    details = {"subject": str(person.external_id), "email": person.email}
    staff_history.record(StaffEventType.AUDIT_EXPORTED, by=by, at=at, **details)


def write_lines(person: User) -> Iterator[str]:
    """Yield the lines of the file, each with a line break, read in one snapshot."""
    digest, counts = hashlib.sha256(), Counter[str]()
    with snapshot():
        for kind, values in _read(person):
            line = json.dumps({kind: values}, sort_keys=True) + "\n"
            digest.update(line.encode())
            counts[kind] += 1
            yield line
    summary = {f"{kind}s": counts[kind] for kind in KINDS}
    yield json.dumps({"summary": {**summary, "lines_digest": digest.hexdigest()}}) + "\n"


def is_of_person(first_line: str) -> bool:
    """Return whether a file with this first line is an export of a person, not of a lead."""
    return first_line.startswith('{"person"')


def verify_lines(lines: Iterable[str]) -> list[str]:
    """Return the faults of an exported file, empty if it is sound, without using the database.

    Raises: NoAuditFile if the lines are not a complete export of a person.
    """
    digest, counts, faults = hashlib.sha256(), Counter[str](), list[str]()
    digests: dict[tuple[str, int], str] = {}
    summary: dict[str, Any] | None = None
    try:
        for line in filter(str.strip, lines):
            [(kind, values)] = json.loads(line).items()
            if summary is not None:
                raise NoAuditFile("There are lines after the summary.")
            if kind == "summary":
                summary = values
                continue
            digest.update((line.rstrip("\n") + "\n").encode())
            counts[kind] += 1
            faults += _list_faults(kind, values, digests)
        if summary is None or counts["person"] != 1:
            raise NoAuditFile("This is no whole export of a person.")
        ends = [int(summary[f"{kind}s"]) == counts[kind] for kind in KINDS]
        is_whole = all(ends) and summary["lines_digest"] == digest.hexdigest()
    except (ValueError, KeyError, TypeError, AttributeError) as exc:
        raise NoAuditFile("This is no whole export of a person.") from exc
    return faults if is_whole else [*faults, "the lines are not those that the summary counts"]


def _read(person: User) -> Iterator[tuple[str, dict[str, Any]]]:
    who = str(person.external_id)
    yield "person", {"id": who, "name": person.get_full_name(), "email": person.email}
    for event in _events(who).iterator():
        yield "event", audit_exports.digest_input(event)
    for done in StaffEvent.objects.filter(who=who).order_by("number").iterator():
        yield "staff_event", _staff_values(done)
    entries = LogEntry.objects.filter(user=person).select_related("content_type").order_by("pk")
    for entry in entries.iterator():
        yield "log_entry", _entry_values(entry)


def _events(who: str) -> Any:
    columns = [field.name for field in Event._meta.concrete_fields]
    rows = Event.objects.filter(who=who).select_related("lead", "application")
    rows = rows.only(*columns, "lead__external_id", "application__external_id")
    return rows.order_by("occurred_at", "pk")


def _staff_values(event: StaffEvent) -> dict[str, Any]:
    return {
        "id": str(event.external_id),
        "occurred_at": event.occurred_at.isoformat(timespec="microseconds"),
        **{name: getattr(event, name) for name in STAFF_FIELDS},
    }


def _entry_values(entry: LogEntry) -> dict[str, Any]:
    kind = entry.content_type
    return {
        "at": entry.action_time.isoformat(timespec="microseconds"),
        "action": entry.get_action_flag_display(),
        "model": f"{kind.app_label}.{kind.model}" if kind else "",
        "object_id": entry.object_id,
        "object": entry.object_repr,
        "text": entry.get_change_message(),
    }


def _list_faults(
    kind: str, values: dict[str, Any], digests: dict[tuple[str, int], str]
) -> Iterator[str]:
    """Yield the faults of a line with an event or staff event, and add its digest to `digests`.

    `digests` has the digests of earlier lines by chain and number: a chain is named by the id of
    its lead, and the one of the staff events by an empty text.
    """
    if kind not in {"event", "staff_event"}:
        return
    event: Any
    if kind == "event":
        event = audit_exports.read_event(values["lead"], values)
        chain, name = values["lead"], f"event {event.number} of lead {values['lead']}"
    else:
        event = _read_staff_event(values)
        chain, name = "", f"staff event {event.number}"
    if event.compute_digest() != event.digest:
        yield f"{name} was changed"
    before = digests.get((chain, event.number - 1))
    if before not in {None, event.previous_digest}:
        yield f"{name} does not follow the one before"
    digests[chain, event.number] = event.digest


def _read_staff_event(values: dict[str, Any]) -> StaffEvent:
    return StaffEvent(
        external_id=UUID(values["id"]),
        occurred_at=datetime.fromisoformat(values["occurred_at"]),
        **{name: values[name] for name in STAFF_FIELDS},
    )

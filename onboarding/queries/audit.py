"""The audit: whether each lead's chain of events is whole and ends where the lead says."""

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from onboarding.models import Application, Event, Lead


@dataclass(frozen=True)
class Finding:
    """Something that is wrong with the events of a lead, at the number of one of them."""

    customer_id: UUID
    number: int
    fault: str

    def __str__(self) -> str:
        return f"lead {self.customer_id}: event {self.number} {self.fault}"


def find_faults() -> Iterator[Finding]:
    """Yield what is wrong, lead by lead: events changed, missing, or at odds with the lead."""
    leads = Lead.objects.only("external_id", "event_count", "last_sequence", "last_digest")
    for lead in leads.order_by("pk").iterator():
        for number, fault in _faults_of(lead):
            yield Finding(lead.external_id, number, fault)


def _faults_of(lead: Lead) -> Iterator[tuple[int, str]]:
    events = list(lead.events.order_by("number").select_related("application"))
    by_number = {event.number: event for event in events}
    digest, sequence = "", 0
    for number in range(1, max([lead.event_count, *by_number]) + 1):
        event = by_number.get(number)
        if event is None:
            yield number, "is missing"
            continue
        event.lead = lead
        yield from ((number, fault) for fault in _faults(event, digest, sequence))
        digest, sequence = event.digest, event.sequence or sequence
    if (len(events), sequence, digest) != (lead.event_count, lead.last_sequence, lead.last_digest):
        yield lead.event_count, "is not where the lead says that its events end"
    yield from _misplaced(events)


def _faults(event: Event, digest: str, sequence: int) -> Iterator[str]:
    if event.digest != event.compute_digest():
        yield "was changed"
    if event.previous_digest != digest:
        yield "does not follow the one before"
    if event.sequence not in {None, sequence + 1}:
        yield f"has sequence {event.sequence} after {sequence}"


def _misplaced(events: list[Event]) -> Iterator[tuple[int, str]]:
    """Yield the last event of each application that stands elsewhere than the event says."""
    last: dict[Application, Event] = {event.application: event for event in events}
    for application, event in last.items():
        if application.status != event.status:
            yield event.number, f"left the application {event.status}, which is elsewhere now"

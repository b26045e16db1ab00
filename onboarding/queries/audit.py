"""The audit: checks of each lead's chain of events."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from uuid import UUID

from foundation.database import hash_chains, unreadable_rows
from foundation.database.snapshot_processes import MapRanges, map_in_turn
from foundation.privacy.encryption import index_key_ids
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import ProposalKind, ProposalStatus, Role
from onboarding.event_types import EventType
from onboarding.models import (
    Application,
    Event,
    Lead,
    Proposal,
    QualityCheck,
)
from onboarding.queries import audited_signatures, fixed_rows
from onboarding.queries.audited_rows import AuditedRows
from onboarding.queries.quality_checks import KEY, is_chosen

PROPOSED_AS = {one.value: one.spec.proposal for one in EventType if one.spec.proposal}
ALWAYS_BY_TWO = {ProposalKind.DENY, ProposalKind.REOPEN}
NEVER_PROPOSED = [Status.APPROVED, Status.EXPIRED, Status.WITHDRAWN]
LEADS_PER_TASK = 1000  # of one process, until it asks for the next range
LEADS_PER_BATCH = 250


@dataclass(frozen=True)
class Finding:
    """A fault in the events of a lead, at the number of an event."""

    customer_id: UUID
    number: int
    fault: str

    def __str__(self) -> str:
        return f"lead {self.customer_id}: event {self.number} {self.fault}"


def find_faults(*, map_ranges: MapRanges = map_in_turn, since: int = 0) -> Iterator[Finding]:
    """Yield the faults of all leads: events changed, missing or inconsistent with other rows.

    `map_ranges` may run ranges of leads in other processes. With `since`, the id of an event, only
    leads that have newer events are read, each with its whole history.
    """
    leads = Lead.objects.order_by("pk")
    if since:
        leads = leads.filter(pk__in=Event.objects.filter(pk__gt=since).values("lead"))
    ids = leads.values_list("pk", flat=True).iterator(chunk_size=LEADS_PER_TASK)
    parts = iter(lambda: list(islice(ids, LEADS_PER_TASK)), [])
    tasks = ((part[0], part[-1], since) for part in parts)
    yield from map_ranges(find_faults_in_range, tasks)


def find_faults_in_range(task: tuple[int, int, int]) -> list[Finding]:
    """Return the faults of the leads with ids from the first to the last number of a task.

    The third number is `since` of `find_faults`.
    """
    first, last, since = task
    leads = Lead.objects.filter(pk__gte=first, pk__lte=last).order_by("pk")
    if since:
        newer = Event.objects.filter(pk__gt=since).values("lead")
        leads = leads.filter(pk__in=newer)
    found = leads.only("external_id", "event_count", "last_sequence", "last_digest")
    faults: list[Finding] = []
    rest = found.iterator(chunk_size=LEADS_PER_BATCH)
    while batch := list(islice(rest, LEADS_PER_BATCH)):
        faults += _findings_of_batch(batch)
    return faults


def find_faults_of(lead: Lead) -> Iterator[Finding]:
    """Yield the faults in the events of one lead; a last one tells if a row cannot be read."""
    try:
        yield from _findings(lead, AuditedRows([lead]))
    except Exception as exc:  # noqa: BLE001 - forged values raise anything, and end no audit
        fault = unreadable_rows.describe(exc)
        yield Finding(lead.external_id, lead.event_count, f"is of a lead that {fault}")


def _findings_of_batch(batch: list[Lead]) -> list[Finding]:
    """Return the faults of some leads, read together unless a value of one cannot be read."""
    rows = AuditedRows(batch)
    try:
        return [finding for lead in batch for finding in _findings(lead, rows)]
    except Exception as exc:  # noqa: BLE001 - the leads are read again, one by one
        unreadable_rows.describe(exc)
        return [finding for lead in batch for finding in find_faults_of(lead)]


def _findings(lead: Lead, rows: AuditedRows) -> Iterator[Finding]:
    for number, fault in _faults_of(lead, rows):
        yield Finding(lead.external_id, number, fault)


def follow(events: Iterable[Event], *, until: int = 0) -> Iterator[tuple[int, str]]:
    """Yield number and fault of each event of one lead that was changed, is missing or misplaced.

    The numbers from 1 to `until`, or to the last event's if that is higher, must all be there.
    """
    sequence = 0
    for number, event, digest in hash_chains.walk(events, until=until):
        if event is None:
            yield number, "is missing"
            continue
        yield from ((number, fault) for fault in _faults(event, digest, sequence))
        sequence = event.sequence or sequence


def _faults_of(lead: Lead, rows: AuditedRows) -> Iterator[tuple[int, str]]:
    events = rows.events_of(lead)
    yield from follow(events, until=lead.event_count)
    sequences = [event.sequence for event in events if event.sequence]
    digest = events[-1].digest if events else ""
    end = (len(events), sequences[-1] if sequences else 0, digest)
    if end != (lead.event_count, lead.last_sequence, lead.last_digest):
        yield lead.event_count, "is not where the lead says that its events end"
    yield from _misplaced(events)
    yield from _decided_amiss(lead, events, rows)
    yield from _proposed_in_vain(lead, events, rows)
    yield from _sampled_otherwise(lead, events, rows)
    yield from audited_signatures.list_faults(lead, events, rows)
    yield from fixed_rows.list_changed(lead, events, rows)


def _faults(event: Event, digest: str, sequence: int) -> Iterator[str]:
    yield from hash_chains.list_faults(event, digest)
    if event.sequence not in {None, sequence + 1}:
        yield f"has sequence {event.sequence} after {sequence}"


def _misplaced(events: list[Event]) -> Iterator[tuple[int, str]]:
    """Yield number and fault of the last event of applications that have another status now."""
    last: dict[Application, Event] = {event.application: event for event in events}
    for application, event in last.items():
        if application.status != event.status:
            yield event.number, f"left the application {event.status}, which is elsewhere now"


def _decided_amiss(lead: Lead, events: list[Event], rows: AuditedRows) -> Iterator[tuple[int, str]]:
    """Yield number and fault of staff's decisions that need two people and were not made by two.

    Such a decision names a proposal by another person, which its own author confirmed and which
    rests on the same evidence.
    """
    decisions = [event for event in events if _took_two(event) and _is_of_staff(event)]
    if not decisions:
        return
    proposals = {str(one.external_id): one for one in rows.of(lead, Proposal)}
    for event in decisions:
        proposal = proposals.get(event.details.get("proposal_id"))
        if proposal is None or not _is_by_two(event, proposal):
            yield event.number, "has not the two people that it needs"
        elif event.details.get("evidence_digest") != proposal.evidence_digest:
            yield event.number, "rests on other evidence than its proposal"


def _took_two(event: Event) -> bool:
    """Return whether a decision needs two people: always, or because it names a proposal."""
    kind = PROPOSED_AS.get(event.type)
    return kind in ALWAYS_BY_TWO or bool(kind and "proposal_id" in event.details)


def _is_of_staff(event: Event) -> bool:
    """Return whether a reviewer caused the event, not a simulation of the sandbox.

    Both have the role REVIEWER, but `who` is a user's id only for a reviewer.
    """
    try:
        return event.role == Role.REVIEWER and bool(UUID(event.who))
    except ValueError:
        return False


def _is_by_two(event: Event, proposal: Proposal) -> bool:
    second = proposal.settled_by
    return (
        proposal.status == ProposalStatus.CONFIRMED
        and proposal.kind == PROPOSED_AS[event.type]
        and second is not None
        and str(second.external_id) == event.who
        and second.pk != proposal.proposed_by_id
    )


def _proposed_in_vain(
    lead: Lead, events: list[Event], rows: AuditedRows
) -> Iterator[tuple[int, str]]:
    """Yield the lead's last event number, and a fault, if nobody can confirm an open proposal.

    Nobody can confirm it if its application has a status in which none may be proposed.
    """
    if all(event.type != EventType.PROPOSED for event in events):
        return
    still_open = [one for one in rows.of(lead, Proposal) if one.status == ProposalStatus.OPEN]
    if any(one.application.status in NEVER_PROPOSED for one in still_open):
        yield lead.event_count, "left a proposal open that nobody can confirm"


def _sampled_otherwise(
    lead: Lead, events: list[Event], rows: AuditedRows
) -> Iterator[tuple[int, str]]:
    """Yield number and fault of approvals for which the draw and the quality checks disagree.

    The draw chose the approval and it has no check, or the reverse. Approvals whose draw used
    a key that was removed are skipped.
    """
    drawn = [event for event in events if event.details.get(KEY) in index_key_ids()]
    if not drawn:
        return
    checked = {one.event_id for one in rows.of(lead, QualityCheck)}
    for event in drawn:
        if is_chosen(event) != (event.pk in checked):
            yield event.number, "is not judged a second time as the draw says"

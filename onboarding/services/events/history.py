"""History: the events of a lead, each with the digest of the previous event."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from foundation.database import prepared_statements
from foundation.database.inserts import insert
from foundation.tracing import spans
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import NotificationKind, ProposalStatus, Role
from onboarding.event_types import EventType
from onboarding.models import Application, Event, Lead, Proposal
from onboarding.queries import fixed_rows
from onboarding.services.notifications import notify

AUDIT_CHAIN_FIELDS = ["event_count", "last_sequence", "last_digest"]  # columns of the lead
PROPOSED_IN = {Status.IN_REVIEW, Status.APPROVED_TEMPORARY, Status.DENIED}


@dataclass(frozen=True)
class Actor:
    """The cause of an event: a role and, for staff, in `who` the external id of the user."""

    role: Role
    who: str = ""


PARTNER = Actor(Role.PARTNER)
APPLICANT = Actor(Role.APPLICANT)
OWNER = Actor(Role.OWNER)
CHECKS = Actor(Role.CHECKS)
CLOCK = Actor(Role.CLOCK)
BANK = Actor(Role.BANK)


class History:
    """The events of a lead within one transaction.

    The lead must be new, or its row locked before it was read, so that event numbers are unique.
    """

    def __init__(self, lead: Lead, *, by: Actor, at: datetime) -> None:
        self._lead = lead
        self._by = by
        self.at = at
        self._events: list[Event] = []

    def add(
        self,
        event_type: EventType,
        application: Application,
        *,
        previous_status: str = "",
        **details: Any,
    ) -> Event:
        """Add an unsaved event, and set the end of the chain on the lead.

        Voids and saves an open proposal if the event changes its evidence. CHECKED does not, as a
        run may repeat the results: the run of checks compares the evidence itself.
        """
        event = self._chain(event_type, application, previous_status, details)
        source = previous_status or application.status
        if source in PROPOSED_IN and (previous_status or event_type.spec.effect):
            self.void_proposal(application, cause=str(event_type.label))
        return event

    def void_proposal(self, application: Application, *, cause: str) -> None:
        """Void and save an open proposal, add an unsaved event for that, and notify its proposer.

        Runs one database query if there is no open proposal.
        """
        waiting = Proposal.objects.filter(application=application, status=ProposalStatus.OPEN)
        for proposal in waiting:
            proposal.status, proposal.settled_at = ProposalStatus.VOIDED, self.at
            proposal.settled_note = cause
            proposal.save(update_fields=["status", "settled_at", "settled_note"])
            notify(
                NotificationKind.PROPOSAL_VOIDED,
                [proposal.proposed_by],
                application=application,
                at=self.at,
            )
            named = {"proposal_id": str(proposal.external_id), "kind": proposal.kind}
            named |= {"cause": cause, **fixed_rows.fix_settled(proposal)}
            self._chain(EventType.PROPOSAL_VOIDED, application, "", named)

    def _chain(
        self,
        event_type: EventType,
        application: Application,
        previous_status: str,
        details: dict[str, Any],
    ) -> Event:
        with spans.span(
            f"event {event_type}", kind="PRODUCER", parent=spans.current_traceparent()
        ) as span:
            event = append_to_chain(
                Event(
                    lead=self._lead,
                    application=application,
                    type=event_type,
                    role=self._by.role,
                    who=self._by.who,
                    status=application.status,
                    previous_status=previous_status,
                    details=details,
                    request_id=spans.current_request_id(),
                    traceparent=span.traceparent,
                    occurred_at=self.at,
                )
            )
        self._events.append(event)
        return event

    @property
    def events(self) -> list[Event]:
        """Return the added events; if the caller inserts them, it also saves AUDIT_CHAIN_FIELDS."""
        return self._events

    def save(self) -> None:
        """Insert the events; the caller saves the columns AUDIT_CHAIN_FIELDS of the lead."""
        insert(*self._events)

    def save_with_lead(self) -> None:
        """Insert the events and update the columns AUDIT_CHAIN_FIELDS of the lead."""
        self.save()
        if self._events:
            prepared_statements.update(self._lead, AUDIT_CHAIN_FIELDS)


def append_to_chain(event: Event) -> Event:
    """Give an unsaved event its numbers and digests, and set the end of the chain on its lead."""
    lead = event.lead
    is_published = EventType(event.type).spec.is_published
    lead.event_count += 1
    lead.last_sequence += is_published
    event.number = lead.event_count
    event.sequence = lead.last_sequence if is_published else None
    event.previous_digest = lead.last_digest
    event.digest = lead.last_digest = event.compute_digest()
    return event


def record(
    application: Application, event_type: EventType, *, by: Actor, at: datetime, **details: Any
) -> Event:
    """Save an event of the application's lead, whose row is locked, and the end of its chain."""
    history = History(application.lead, by=by, at=at)
    event = history.add(event_type, application, **details)
    history.save_with_lead()
    return event


def record_change(
    application: Application,
    names: Sequence[str],
    *,
    by: Actor,
    at: datetime,
    columns: Sequence[str] = (),
    **details: Any,
) -> None:
    """Save changed `columns` of a locked lead and `updated_at`, and record a CHANGED event.

    `names` are the names of the changed values in the API; values stay out of the event.
    """
    lead = application.lead
    history = History(lead, by=by, at=at)
    history.add(EventType.CHANGED, application, changed=names, **details)
    lead.save(update_fields=[*columns, *AUDIT_CHAIN_FIELDS, "updated_at"])
    history.save()

"""Fixed rows: rows that an event holds a digest of, so that a change of the row alone is found.

An event is anchored, and the rows that it is about are not: a consent, the record of what was
signed, a proposal, a judgement of a hit, the results of checks, a file. The event's detail
`rows_digest` fixes the columns of these rows that never change, and `settled_digest` how a
proposal or a judgement ended.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from enum import Enum
from functools import cached_property
from typing import Any, Final, TypeVar
from uuid import UUID

from django.db.models import Model

from banking.choices import StaffEventType
from banking.models import StaffEvent
from foundation.database import hash_chains
from foundation.external_ids import ExternalIdModel
from onboarding.event_types import EventType
from onboarding.models import (
    Check,
    Consent,
    Document,
    Event,
    HitJudgement,
    Lead,
    PartnerVerification,
    Proposal,
    QualityCheck,
    SignedRecord,
)
from onboarding.queries.audited_rows import AuditedRows

Row = TypeVar("Row", bound=Model)
DETAIL: Final = "rows_digest"
SETTLED_DETAIL: Final = "settled_digest"
SETTLED: Final = ["external_id", "status", "settled_by_id", "settled_at", "settled_note"]
COLUMNS: Final[Mapping[type[Model], list[str]]] = {
    Consent: [
        "ubo_id",
        "text",
        "version",
        "language",
        "signed_name",
        "agreed_at",
        "entry",
        "address",
        "user_agent",
        "code_entered_at",
        "is_code_waived",
        "session_digest",
        "answers_digest",
        "answers_version",
    ],
    SignedRecord: ["external_id", "content", "digest", "signed_at"],
    Proposal: [
        "external_id",
        "kind",
        "reason_codes",
        "internal_text",
        "applicant_text",
        "expiration_date",
        "evidence_digest",
        "rule",
        "proposed_by_id",
        "proposed_at",
    ],
    HitJudgement: ["external_id", "hit_id", "verdict", "reason", "evidence_digest", "by_id", "at"],
    QualityCheck: [
        "external_id",
        "event_id",
        "decided_by_id",
        "decided_at",
        "verdict",
        "reason",
        "judged_by_id",
        "judged_at",
    ],
    Check: ["external_id", "code", "source", "result", "ubo_id", "note", "details", "by_id", "at"],
    Document: ["external_id", "sha256", "supplied_by"],
    PartnerVerification: [
        *("external_id", "kind", "ubo_id", "method", "verified_on", "reference"),
        *("document_ids", "contract", "at"),
    ],
}
NAMED: Final[
    Mapping[str, tuple[type[ExternalIdModel], str]]
] = {  # events of one row: its model, and the detail with its id
    EventType.PROPOSED: (Proposal, "proposal_id"),
    EventType.DOCUMENT_RECEIVED: (Document, "document_id"),
    EventType.PARTNER_VERIFIED: (PartnerVerification, "verification_id"),
    EventType.CHECK_TICKED: (Check, "check_id"),
    EventType.QUALITY_JUDGED: (QualityCheck, "quality_check_id"),
}


def fix(*rows: Model) -> dict[str, str]:
    """Return the detail of an event that fixes rows: the SHA-256, in hexadecimal, of their columns.

    Empty columns are left out, so that a column added later changes no digest.
    """
    return {DETAIL: _digest([(row, COLUMNS[type(row)]) for row in rows])}


def fix_settled(*rows: Proposal | HitJudgement) -> dict[str, str]:
    """Return the detail of an event that fixes how proposals or judgements were settled.

    That is the SHA-256, in hexadecimal, of the columns in SETTLED.
    """
    return {SETTLED_DETAIL: _digest([(row, SETTLED) for row in rows])}


def _digest(rows: Sequence[tuple[Model, list[str]]]) -> str:
    picked = [
        [[name, value] for name in names if (value := _plain(getattr(row, name)))]
        for row, names in rows
    ]
    return hash_chains.compute_digest(sorted(picked, key=hash_chains.compute_digest))


def list_changed(
    lead: Lead, events: Sequence[Event], audited: AuditedRows
) -> Iterator[tuple[int, str]]:
    """Yield number and fault of events whose rows are gone or were changed after the event."""
    rows = _Rows(lead, events, audited)
    is_erased = any(event.type == EventType.ERASED for event in events)
    for event in events:
        if is_erased and not rows.of(event):
            continue  # the rows were erased with the lead
        if any(event.details.get(name, found) != found for name, found in rows.digests(event)):
            yield event.number, f"is about rows that were changed: {event.get_type_display()}"


def find_changed_of_records() -> Iterator[str]:
    """Yield a sentence for each staff event about judgements of record hits that were changed."""
    events = StaffEvent.objects.filter(type=StaffEventType.HIT_JUDGED).order_by("number")
    for event in events.iterator():
        ids = event.details.get("judgement_ids", [])
        judgements = list(HitJudgement.objects.filter(external_id__in=ids))
        found = fix(*judgements) | fix_settled(*judgements)
        if any(event.details.get(name, digest) != digest for name, digest in found.items()):
            yield f"staff event {event.number} is about judgements of hits that were changed"


class _Rows:
    """The rows of a lead that events are about."""

    def __init__(self, lead: Lead, events: Sequence[Event], audited: AuditedRows) -> None:
        self._lead, self._events, self._audited = lead, events, audited

    def of(self, event: Event) -> Sequence[Model]:
        """Return the rows that an event of the lead fixes."""
        said = event.details
        if event.type in NAMED:
            model, detail = NAMED[event.type]
            return [one for one in self._of(model) if _is(one, said[detail])]
        match event.type:
            case EventType.CONSENTED:
                application = event.application_id
                signed = self._of(SignedRecord)
                records = [one for one in signed if one.application_id == application]
                return [*self._consents_of(event, None), *records]
            case EventType.OWNER_COMPLETED:
                of_owner = self._consents_of(event, said["ubo_id"])
                return [one for one in of_owner if one.agreed_at == event.occurred_at]
            case EventType.HITS_JUDGED | EventType.CLEARING_PROPOSED | EventType.CLEARING_ENDED:
                ids = set(said.get("judgement_ids", []))
                return [one for one in self._of(HitJudgement) if str(one.external_id) in ids]
            case EventType.CHECKED:
                run = (event.application_id, said["run"])
                checks = [one for one in self._of(Check) if _run_of(one) == run]
                return [one for one in checks if str(one.external_id) not in self._ticked]
        return []

    def digests(self, event: Event) -> Iterator[tuple[str, str]]:
        """Yield name and value of each digest of the event's details, computed from the rows now.

        A name is DETAIL or SETTLED_DETAIL; details that the event lacks are left out.
        """
        if DETAIL in event.details:
            yield from fix(*self.of(event)).items()
        if SETTLED_DETAIL in event.details:
            yield from fix_settled(*self._settled_by(event)).items()

    def _settled_by(self, event: Event) -> list[Proposal | HitJudgement]:
        """Return the proposal, or the judgements, that an event ends."""
        ids = {event.details.get("proposal_id"), *event.details.get("judgement_ids", [])}
        rows: list[Proposal | HitJudgement] = [*self._of(Proposal), *self._of(HitJudgement)]
        return [one for one in rows if str(one.external_id) in ids]

    def _consents_of(self, event: Event, ubo_id: str | None) -> list[Consent]:
        """Return the consents of one person in the application of an event."""
        of_application = [
            one for one in self._of(Consent) if one.application_id == event.application_id
        ]
        return [one for one in of_application if _plain(one.ubo_id) == ubo_id]

    def _of(self, model: type[Row]) -> list[Row]:
        return self._audited.of(self._lead, model)

    @cached_property
    def _ticked(self) -> set[str]:
        return {event.details["check_id"] for event in self._events if "check_id" in event.details}


def _is(row: ExternalIdModel, external_id: str) -> bool:
    return str(row.external_id) == external_id


def _run_of(check: Check) -> tuple[int, int]:
    return check.run.application_id, check.run.number


def _plain(value: Any) -> Any:
    """Return a column's value as JSON holds it."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    return str(value) if isinstance(value, date | UUID | Enum) else value

"""Fixed rows: rows that an event holds a digest of, so that a change of the row alone is found.

An event is anchored, and the rows that it is about are not: a consent, the record of what was
signed, a proposal, a judgement of a hit, the results of checks, a file. The event's detail
`rows_digest` fixes the columns of these rows that never change.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from enum import Enum
from functools import cached_property
from typing import Any, Final, TypeVar
from uuid import UUID

from django.db.models import Model

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
    picked = [
        [[name, value] for name in COLUMNS[type(row)] if (value := _plain(getattr(row, name)))]
        for row in rows
    ]
    return {DETAIL: hash_chains.compute_digest(sorted(picked, key=hash_chains.compute_digest))}


def list_changed(
    lead: Lead, events: Sequence[Event], audited: AuditedRows
) -> Iterator[tuple[int, str]]:
    """Yield the events of a lead whose rows are gone, or are others than the event says."""
    rows = _Rows(lead, events, audited)
    is_erased = any(event.type == EventType.ERASED for event in events)
    for event in events:
        fixed = event.details.get(DETAIL)
        if not fixed or (is_erased and not rows.of(event)):
            continue  # nothing is fixed, or the rows were erased with the lead
        if fix(*rows.of(event))[DETAIL] != fixed:
            yield event.number, f"is about rows that were changed: {event.get_type_display()}"


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

"""Audited signatures: whether consents, answers and records are those that were signed."""

from collections.abc import Iterator
from typing import Any

from foundation.database import hash_chains
from onboarding.event_types import EventType
from onboarding.models import Consent, Event, Lead, Owner, OwnerRecord
from onboarding.names import wire
from onboarding.queries import evidence
from onboarding.queries.audited_rows import AuditedRows
from onboarding.queries.holdings import Holding

SIGNED_FACTS = [  # of a signature in its event, and in columns of its consents
    "answers_digest",
    "answers_version",
    "entry",
    "session_digest",
    "is_code_waived",
]
OF_OWNERS = {wire("owners"), wire("is_control_person")}  # changes that name no owner


def list_faults(lead: Lead, events: list[Event], rows: AuditedRows) -> Iterator[tuple[int, str]]:
    """Yield the faults of the signatures of a lead, each with the number of its event."""
    yield from _signed_otherwise(lead, events, rows)
    yield from _answered_otherwise(lead, events, rows)
    yield from _owners_answered_otherwise(lead, events, rows)
    yield from _owners_recorded_otherwise(lead, events, rows)


def _signed_otherwise(
    lead: Lead, events: list[Event], rows: AuditedRows
) -> Iterator[tuple[int, str]]:
    """Yield number and fault of signatures whose consents are gone or differ from the event."""
    signed = {event.application_id: event for event in events if _is_signature(event)}
    if not signed:
        return
    found: dict[int, dict[str, list[Any]]] = {pk: {} for pk in signed}
    for consent in rows.of(lead, Consent):
        if consent.ubo_id is None and consent.application_id in signed:
            facts = [getattr(consent, name) or "" for name in SIGNED_FACTS]
            row = [consent.version, consent.agreed_at, *facts]
            found[consent.application_id][consent.text] = row
    for pk, event in signed.items():
        said = event.details
        facts = [said.get(name) or "" for name in SIGNED_FACTS]
        should = {
            text: [version, event.occurred_at, *facts] for text, version in said["texts"].items()
        }
        if found[pk] != should:
            yield event.number, "says other consents than there are"


def _answered_otherwise(
    lead: Lead, events: list[Event], rows: AuditedRows
) -> Iterator[tuple[int, str]]:
    """Yield number and fault of the applicant's last signature if answers changed without event."""
    signed = next((event for event in reversed(events) if _is_signature(event)), None)
    if signed is None or any(
        event.type == EventType.CHANGED and event.number > signed.number for event in events
    ):
        return
    if not _are_signed(rows.people_of(lead), rows.holdings_of(lead), signed):
        yield signed.number, "was signed for other answers than there are"


def _owners_answered_otherwise(
    lead: Lead, events: list[Event], rows: AuditedRows
) -> Iterator[tuple[int, str]]:
    """Yield number and fault of last signatures of owners whose answers changed without event.

    The last signature of an owner who is gone is a fault, too.
    """
    signed = _signatures_of_owners(events)
    if not signed:
        return
    owners = {str(owner.external_id): owner for owner in rows.of(lead, Owner)}
    for ubo_id, event in signed.items():
        if ubo_id not in owners:
            yield event.number, "was signed by an owner who is gone"
        elif not _are_signed([owners[ubo_id]], [], event):
            yield event.number, "was signed by an owner for other answers than there are"


def _owners_recorded_otherwise(
    lead: Lead, events: list[Event], rows: AuditedRows
) -> Iterator[tuple[int, str]]:
    """Yield number and fault of the last signature of owners with a record that no signature names.

    The number is 0 for an owner without a signature. A signature whose record was deleted is no
    fault.
    """
    completed = [event for event in events if event.type == EventType.OWNER_COMPLETED]
    if not completed:
        return
    signed = {event.details.get("record_digest") for event in completed}
    for record in rows.of(lead, OwnerRecord):
        if hash_chains.compute_digest([record.content]) not in signed:
            ubo_id = str(record.owner.external_id)
            numbers = [one.number for one in completed if one.details["ubo_id"] == ubo_id]
            yield max(numbers, default=0), "was signed by an owner, whose record differs"


def _signatures_of_owners(events: list[Event]) -> dict[str, Event]:
    """Return the last signature of each owner, by the owner's external id.

    Without owners whose answers were changed or erased by a later event.
    """
    signed: dict[str, Event] = {}
    for event in events:
        if event.type == EventType.OWNER_COMPLETED:
            signed[event.details["ubo_id"]] = event
        elif event.type == EventType.ERASED:
            signed.clear()
        elif event.type == EventType.CHANGED:
            for ubo_id in _changed_owners(event, [*signed]):
                signed.pop(ubo_id, None)
    return signed


def _changed_owners(event: Event, known: list[str]) -> list[str]:
    """Return the ids of the owners that a change may be about.

    That is the owner whom the event names; if it names none, all `known` owners, or none of them if
    no value of owners changed.
    """
    if "ubo_id" in event.details:
        return [event.details["ubo_id"]]
    return known if OF_OWNERS & {*event.details.get("changed", ())} else []


def _are_signed(people: list[Lead | Owner], holdings: list[Holding], signed: Event) -> bool:
    """Return whether the digest of the answers is the one in the event of a signature.

    Also True if the signed digest is of a version that can no longer be computed.
    """
    said = signed.details
    digests = evidence.compute_answers_digests(people, holdings)
    digest: str = said["answers_digest"]
    return digests.get(said.get("answers_version", ""), digest) == digest


def _is_signature(event: Event) -> bool:
    return event.type == EventType.CONSENTED and "answers_digest" in event.details

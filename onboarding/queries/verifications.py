"""Reads of verifications: what providers are sent, what they answered, and their state."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from django.db.models import Count

from onboarding.choices import CheckCode, CheckResult, VerificationKind
from onboarding.event_types import EventType
from onboarding.models import (
    Check,
    Event,
    Lead,
    Owner,
    PartnerVerification,
    VerificationRequest,
)
from onboarding.models.verifications import OPEN_REQUEST
from onboarding.names import camel, wire
from onboarding.queries.leads import LeadFile

ADDRESS: Final = ["line1", "line2", "city", "state", "postal_code", "country"]
BUSINESS: Final = [
    "business_name",
    "ein",
    "business_type",
    "incorporation_state",
    "incorporation_date",
    "duns",
]
PERSON: Final = ["first_name", "last_name", "birth_date", "ssn", "email", "phone_number"]
VOUCHED: Final = {  # values of the lead that a partner's verification is about
    VerificationKind.IDENTITY: {"firstName", "lastName", "birthDate", "ssn"},
    VerificationKind.REGISTRY: {camel(name) for name in BUSINESS},
    VerificationKind.ADDRESS: {"businessName", "businessAddress"},
}

ITEMS: Final = {
    code.value: kind.item.value
    for kind in VerificationKind
    for code in (kind.provider_code, kind.partner_code)
}


@dataclass(frozen=True)
class Party:
    """A party that a kind of verification is about: a person, or the business of a lead."""

    kind: VerificationKind
    person: Lead | Owner


def list_parties(file: LeadFile, kind: VerificationKind) -> list[Party]:
    """Return the parties of a case that a kind of verification is about, the applicant first."""
    people = file.people if kind is VerificationKind.IDENTITY else [file.lead]
    return [Party(kind, person) for person in people]


def describe_subject(party: Party, fields: Iterable[str]) -> dict[str, Any]:
    """Return the values of a party that a provider is sent, by API name, empty ones included.

    `fields` are API names; dates are ISO 8601 texts.
    """
    person = party.person
    if party.kind is VerificationKind.IDENTITY:
        values = {camel(name): _plain(getattr(person, name)) for name in PERSON}
        values["address"] = _address(person.home)
    else:
        values = {camel(name): _plain(getattr(person, name)) for name in BUSINESS}
        values["businessAddress"] = _address(getattr(person, "business_address", {}))
    return {name: values[name] for name in fields}


def is_current(request: VerificationRequest, party: Party) -> bool:
    """Return whether a party still has the values that a provider was asked about."""
    sent = json.loads(request.sent)
    return bool(sent == describe_subject(party, sent))


def list_requests(file: LeadFile) -> list[VerificationRequest]:
    """Return the requests of an application, the oldest first, in one statement."""
    return list(file.application.verification_requests.order_by("pk"))


def list_partner_verifications(file: LeadFile) -> list[PartnerVerification]:
    """Return the verifications that the partner handed in, the oldest first."""
    return list(file.application.partner_verifications.order_by("pk"))


def find_outdated(rows: Iterable[PartnerVerification]) -> set[int]:
    """Return the keys of partner verifications of one lead whose values changed afterwards.

    A change that names no owner counts for all owners. Runs one database query, or no query if
    `rows` is empty.
    """
    found = list(rows)
    if not found:
        return set()
    since = min(one.at for one in found)
    changes = Event.objects.filter(
        lead=found[0].application.lead_id, type=EventType.CHANGED, occurred_at__gt=since
    )
    changed = [
        (at, set(details["changed"]), details.get("ubo_id"))
        for at, details in changes.values_list("occurred_at", "details")
    ]
    return {
        one.pk
        for one in found
        if any(
            at > one.at and _vouched(one) & names and ubo_id in {None, str(one.ubo_id)}
            for at, names, ubo_id in changed
        )
    }


def _vouched(one: PartnerVerification) -> set[str]:
    """Return the API names of the values that a verification is about."""
    return {wire("owners")} if one.ubo_id else VOUCHED[VerificationKind(one.kind)]


def count_open_requests() -> dict[str, int]:
    """Return the number of open requests of each provider that has some."""
    rows = VerificationRequest.objects.filter(OPEN_REQUEST).order_by().values_list("provider")
    return dict(rows.annotate(count=Count("pk")))


def item_of(check: Check) -> str:
    """Return the code of the checklist item that a check is evidence of.

    Empty unless the check is a verification by a provider or by the partner.
    """
    return ITEMS.get(check.code, "")


def describe_evidence(checks: Iterable[Check], code: CheckCode) -> str:
    """Return the joined notes of an item's verifications; empty if none, or if one did not pass.

    At most 500 characters.
    """
    found = [check for check in checks if item_of(check) == code]
    if not all(check.result == CheckResult.PASS for check in found):
        return ""
    return " ".join(f"{check.get_source_display()}: {check.note}" for check in found)[:500]


def _address(address: Mapping[str, Any] | None) -> dict[str, str]:
    """Return the parts of an address that have a value."""
    found = address or {}
    parts = {camel(name): found.get(name) or found.get(camel(name)) or "" for name in ADDRESS}
    return {name: str(value) for name, value in parts.items() if value}


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value or ""

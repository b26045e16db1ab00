"""Payloads: what a partner is told of an event, word for word."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import orjson
from django.conf import settings

from onboarding.choices import TEST_EVENT, ApplicationStatus, EventType
from onboarding.models import Event
from onboarding.names import camel

TOLD = {  # of an event's details; whatever else they hold stays in the house
    "account_number_masked",
    "action",
    "document_id",
    "expiration_date",
    "is_temp",
    "llc_file_type",
    "missing_documents",
    "reason_codes",
    "routing_number",
    "ubo_id",
}
MISSING = "missing_docs"  # spelled on the wire as it is here
ACTIONS = {
    EventType.SUBMITTED: "submitApplication",
    EventType.IDENTITY_REQUESTED: "idVerificationStart",
    EventType.IDENTITY_COMPLETED: "idVerification",
    EventType.DOCUMENTS_REQUIRED: "firstRequestedDocs",
    EventType.ACCOUNT_OPENED: "onboardingComplete",
    EventType.DENIED: "applicationRejected",
}
ASKED_AGAIN, FOR_AN_OWNER = "resubmitDocs", "idVerificationAdditionalUbos"


def compose(event: Event, *, is_repeated: bool = False) -> str:
    """Return the body for an event, of whose type `is_repeated` says there was one before.

    Shape: the JSON of "Webhooks" in the contract; identifiers, and no personal data besides.
    """
    lead, application = event.lead, event.application
    data = {
        "customerId": str(lead.external_id),
        "personId": str(lead.external_id),
        "applicationId": str(application.external_id),
        "attempt": application.attempt,
        "partnerSuppliedId": lead.unique_id,
        "action": _action(event, is_repeated=is_repeated),
        "status": event.status,
        "previousStatus": event.previous_status or None,
        "statusGroup": ApplicationStatus(event.status).group.value,
        **_told(event),
    }
    head = _head(message_id(event), event.type, event.occurred_at)
    return orjson.dumps({**head, "sequence": event.sequence, "data": data}).decode()


def compose_test(message: str, *, at: datetime) -> str:
    """Return the body of a test of a webhook."""
    return orjson.dumps({**_head(message, TEST_EVENT, at), "data": {}}).decode()


def message_id(event: Event) -> str:
    """Return the id under which an event is told, however often."""
    return f"evt_{event.external_id.hex}"


def _head(message: str, event_type: str, at: datetime) -> dict[str, Any]:
    moment = at.astimezone(UTC).isoformat(timespec="milliseconds")
    return {
        "id": message,
        "type": str(event_type),
        "timestamp": moment.replace("+00:00", "Z"),
        "environment": settings.ENVIRONMENT,
        "apiVersion": settings.API_VERSION,
    }


def _action(event: Event, *, is_repeated: bool) -> str | None:
    event_type = EventType(event.type)
    if event_type is EventType.DOCUMENTS_REQUIRED and is_repeated:
        return ASKED_AGAIN
    if event_type is EventType.IDENTITY_REQUESTED and event.details.get("ubo_id"):
        return FOR_AN_OWNER
    return ACTIONS.get(event_type)


def _told(event: Event) -> Mapping[str, Any]:
    told = {camel(name): value for name, value in event.details.items() if name in TOLD}
    if event.type == EventType.DOCUMENTS_REQUIRED:
        told[MISSING] = event.details.get(MISSING, [])
    return told

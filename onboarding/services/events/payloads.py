"""Payloads: the JSON bodies of events, as sent to webhooks."""

from datetime import UTC, datetime
from typing import Any

import orjson
from django.conf import settings

from onboarding.choices import ApplicationStatus
from onboarding.event_types import TEST_EVENT, EventType
from onboarding.models import Event
from onboarding.names import wire

MISSING = "missing_docs"


def compose(event: Event, *, is_repeated: bool = False) -> str:
    """Return the body of an event, as JSON text with identifiers and no personal data.

    `is_repeated` says that the application has an earlier DOCUMENTS_REQUIRED event: it changes the
    `action` of a further such event, and of no other type.
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
        **_published_details(event),
    }
    head = _head(message_id(event), event.type, event.occurred_at)
    return orjson.dumps({**head, "sequence": event.sequence, "data": data}).decode()


def compose_test(message: str, *, at: datetime) -> str:
    """Return the body of a test event as JSON text; `message` is its message id."""
    return orjson.dumps({**_head(message, TEST_EVENT, at), "data": {}}).decode()


def message_id(event: Event) -> str:
    """Return the message id of an event, equal in all its deliveries."""
    return f"evt_{event.external_id.hex}"


def _head(message: str, event_type: str, at: datetime) -> dict[str, Any]:
    timestamp = at.astimezone(UTC).isoformat(timespec="milliseconds")
    return {
        "id": message,
        "type": str(event_type),
        "timestamp": timestamp.replace("+00:00", "Z"),
        "environment": settings.ENVIRONMENT,
        "apiVersion": settings.API_VERSION,
    }


def _action(event: Event, *, is_repeated: bool) -> str | None:
    event_type = EventType(event.type)
    is_for_owner = event_type is EventType.IDENTITY_REQUESTED and event.details.get("ubo_id")
    if is_for_owner or (event_type is EventType.DOCUMENTS_REQUIRED and is_repeated):
        return event_type.spec.other_action
    action: str | None = event.details.get("action", event_type.spec.action)
    return action


def _published_details(event: Event) -> dict[str, Any]:
    names = EventType(event.type).spec.details
    details = {wire(name): value for name, value in event.details.items() if name in names}
    if event.type == EventType.DOCUMENTS_REQUIRED:
        details.setdefault(MISSING, [])
    return details

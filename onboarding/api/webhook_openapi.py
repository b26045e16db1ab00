"""Webhooks in the OpenAPI document: one operation per event type."""

from typing import Any, Final

from onboarding.event_types import TEST_EVENT, published_choices

HEADERS: Final = {
    "webhook-id": "The `id` of the event, the same in every attempt.",
    "webhook-timestamp": "When it was sent, in seconds since 1970; refuse what is too old.",
    "webhook-signature": "`v1,` and the Base64 of HMAC-SHA-256 over `{id}.{timestamp}.{body}`; "
    "two of them, parted by a space, while a secret is rotated.",
}
BEARER: Final = "`Authorization` is `Bearer` and the token of the webhook."
ANSWERS: Final = {
    "2XX": {"description": "Received. Answer within 15 seconds, and work afterwards."},
    "410": {"description": "Gone: the webhook is disabled."},
    "429": {"description": "Later: `Retry-After` is honoured; of a 503, too."},
    "default": {"description": "Anything else, a redirect too, is a failure: it is tried again."},
}
TEST_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "type": {"type": "string", "const": TEST_EVENT},
        "timestamp": {"type": "string", "format": "date-time"},
        "environment": {"type": "string", "enum": ["sandbox", "production"]},
        "apiVersion": {"type": "string"},
        "data": {"type": "object", "description": "Empty."},
    },
    "required": ["id", "type", "timestamp", "environment", "apiVersion", "data"],
}


def describe_webhooks() -> dict[str, Any]:
    """Return the `webhooks` of the OpenAPI document, which refer to its `Event` schema."""
    operations = {
        event_type: _operation(
            label,
            {
                "allOf": [
                    {"$ref": "#/components/schemas/Event"},
                    {"properties": {"type": {"const": event_type}}},
                ]
            },
        )
        for event_type, label in published_choices()
    }
    return {**operations, TEST_EVENT: _operation("A test that you asked for", TEST_SCHEMA)}


def _operation(summary: str, schema: dict[str, Any]) -> dict[str, Any]:
    headers = [
        {
            "name": name,
            "in": "header",
            "required": True,
            "description": description,
            "schema": {"type": "string"},
        }
        for name, description in HEADERS.items()
    ]
    return {
        "post": {
            "summary": summary,
            "description": BEARER,
            "tags": ["webhooks"],
            "parameters": headers,
            "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}},
            "responses": ANSWERS,
        }
    }

"""How operations describe themselves in the OpenAPI document."""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.renderers import OpenApiJsonRenderer
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema

from onboarding.api.representations import ErrorSerializer
from onboarding.choices import ApplicationStatus
from onboarding.errors import ErrorCode

JSON = "application/json"
XML = "application/xml"
IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key", str, OpenApiParameter.HEADER,
    description="1 to 200 visible ASCII characters, kept 24 hours: a retry gets the first answer.",
)  # fmt: skip
REQUEST_ID = OpenApiParameter(
    "X-Request-Id", str, OpenApiParameter.HEADER, description="Echoed; a fresh one without it."
)
VALIDATE_ONLY = OpenApiParameter(
    "validateOnly",
    bool,
    description="Say what would be refused and what is missing; store nothing.",
)
LIST_PARAMETERS = [
    OpenApiParameter("status", str, enum=ApplicationStatus.values),
    OpenApiParameter("email", str),
    OpenApiParameter("uniqueId", str),
    OpenApiParameter("updatedSince", OpenApiTypes.DATETIME),
    OpenApiParameter("limit", int, description="1 to 100, 25 by default."),
    OpenApiParameter("cursor", str, description="The nextCursor of the page before."),
]
ANSWER_HEADERS = [
    OpenApiParameter(
        "X-Request-Id", str, OpenApiParameter.HEADER, response=True,
        description="Names the call in our logs.",
    ),
    OpenApiParameter(
        "API-Version", str, OpenApiParameter.HEADER, response=True,
        description="The version of the interface.",
    ),
]  # fmt: skip
LIMIT_HEADERS = [
    OpenApiParameter(name, int, OpenApiParameter.HEADER, response=True, description=description)
    for name, description in {
        "RateLimit-Limit": "Calls a minute.",
        "RateLimit-Remaining": "Calls left in this minute.",
        "RateLimit-Reset": "Seconds until they start anew.",
    }.items()
]
EVERYWHERE = [
    ErrorCode.AUTHENTICATION_REQUIRED,
    ErrorCode.INVALID_CREDENTIALS,
    ErrorCode.WRONG_ENVIRONMENT,
    ErrorCode.CREDENTIALS_EXPIRED,
    ErrorCode.CREDENTIALS_REVOKED,
    ErrorCode.PARTNER_SUSPENDED,
    ErrorCode.IP_NOT_ALLOWED,
    ErrorCode.PERMISSION_DENIED,
    ErrorCode.RATE_LIMITED,
    ErrorCode.INTERNAL_ERROR,
    ErrorCode.SERVICE_UNAVAILABLE,
]
WITH_BODY = [
    ErrorCode.MALFORMED_BODY,
    ErrorCode.UNSUPPORTED_MEDIA_TYPE,
    ErrorCode.LENGTH_REQUIRED,
    ErrorCode.REQUEST_TOO_LARGE,
    ErrorCode.REQUIRED_FIELD_MISSING,
    ErrorCode.INVALID_TYPE,
]
LIST_FAULTS = [
    ErrorCode.VALUE_NOT_ALLOWED,
    ErrorCode.INVALID_FORMAT,
    ErrorCode.VALUE_OUT_OF_RANGE,
]
IDEMPOTENT = [
    ErrorCode.IDEMPOTENCY_KEY_INVALID,
    ErrorCode.IDEMPOTENCY_KEY_REUSED,
    ErrorCode.IDEMPOTENCY_IN_PROGRESS,
]


def operation(
    operation_id: str,
    *,
    responses: dict[int, Any],
    errors: Iterable[ErrorCode] = (),
    parameters: Iterable[OpenApiParameter] = (),
    is_public: bool = False,
    **options: Any,
) -> Callable[[Any], Any]:
    """Describe an operation: its own answers, and those that every operation can give."""
    general = [ErrorCode.INTERNAL_ERROR] if is_public else EVERYWHERE
    headers = ANSWER_HEADERS if is_public else [*ANSWER_HEADERS, *LIMIT_HEADERS]
    return extend_schema(
        operation_id=operation_id,
        parameters=[REQUEST_ID, *parameters, *headers],
        responses={**responses, **_error_responses([*errors, *general])},
        **options,
    )


def _error_responses(codes: Iterable[ErrorCode]) -> dict[tuple[int, str], OpenApiResponse]:
    by_status: dict[int, list[ErrorCode]] = {}
    for code in codes:
        by_status.setdefault(code.http_status, []).append(code)
    return {
        (status, media_type): OpenApiResponse(
            ErrorSerializer, description=", ".join(code.name for code in of_status)
        )
        for status, of_status in by_status.items()
        for media_type in (JSON, XML)
    }


class ApiKeyScheme(OpenApiAuthenticationExtension):
    """The `Authorization` header with access key and secret key."""

    target_class = "onboarding.api.partner_view.ApiKeyAuthentication"
    name = "accessKey"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, str]:
        return {
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": f"`{settings.LEAD_API_SCHEME} <ACCESS_KEY>:<SECRET_KEY>`",
        }


def openapi(_request: HttpRequest) -> HttpResponse:
    """Answer the OpenAPI document, made once per process."""
    return HttpResponse(_document(), content_type="application/json")


@cache
def _document() -> bytes:
    document = SchemaGenerator().get_schema(public=True)
    return OpenApiJsonRenderer().render(document, renderer_context={})

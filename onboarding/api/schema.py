"""Operation declarations: parameters, responses and errors for the OpenAPI document."""

from collections.abc import Callable, Iterable, Mapping
from inspect import getdoc
from typing import Any
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema

from onboarding.api.error_representations import ErrorSerializer
from onboarding.api.errors import RETRY_LATER
from onboarding.errors import ErrorCode

MEDIA_TYPES = ("application/json", "application/xml")
HEADER = OpenApiParameter.HEADER

REQUEST_ID = OpenApiParameter(
    "X-Request-Id", str, HEADER,
    description="8 to 128 of `A-Z a-z 0-9 . _ ~ -`, repeated in the response and in our logs; "
    "a value of another shape is replaced by a generated id.",
)  # fmt: skip
LANGUAGE = OpenApiParameter(
    "Accept-Language", str, HEADER,
    description="Language of `localizedMessage`: English, or Spanish if the header prefers it.",
)  # fmt: skip
IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "pattern": r"^[\x21-\x7e]{1,200}$", "maxLength": 200},
    HEADER,
    description="1 to 200 visible ASCII characters, kept for 24 hours: a retry with the same key "
    "and body gets the first response again.",
)
CUSTOMER_ID = OpenApiParameter(
    "customer_id", UUID, OpenApiParameter.PATH, description="The `customerId` of the lead."
)
UBO_ID = OpenApiParameter(
    "ubo_id", UUID, OpenApiParameter.PATH, description="The `uboId` of the owner."
)
CHANGE_ID = OpenApiParameter(
    "change_id", UUID, OpenApiParameter.PATH, description="The `changeId` of the change."
)
VALIDATE_ONLY = OpenApiParameter(
    "validateOnly", bool, default=False,
    description="`true` lists the errors and the missing fields, and stores nothing.",
)  # fmt: skip
WEBHOOK_ID = OpenApiParameter(
    "webhook_id", UUID, OpenApiParameter.PATH, description="The `externalId` of the webhook."
)
DELIVERY_ID = OpenApiParameter(
    "delivery_id", UUID, OpenApiParameter.PATH, description="The `deliveryId` of the delivery."
)
NOT_EMPTY = {"type": "string", "minLength": 1}
LIMIT = OpenApiParameter(
    "limit", {"type": "integer", "minimum": 1, "maximum": 100, "default": 25},
    description="Maximum number of items on a page.",
)  # fmt: skip
CURSOR = OpenApiParameter("cursor", str, description="The `nextCursor` of the page before.")
LIST_PARAMETERS = [
    OpenApiParameter(
        "status", {"$ref": "#/components/schemas/ApplicationStatus"},
        description="Status of the current application.",
    ),
    OpenApiParameter("email", NOT_EMPTY, description="The full email address, case-insensitive."),
    OpenApiParameter(
        "uniqueId", NOT_EMPTY, description="Your own identifier, spelled as it was sent."
    ),
    OpenApiParameter(
        "updatedSince", {"type": "string", "format": "date-time"},
        description="Leads that changed, or whose status changed, at this moment or later.",
    ),
    LIMIT,
    CURSOR,
]  # fmt: skip
DELIVERY_LIST_PARAMETERS = [
    OpenApiParameter(
        "status", {"$ref": "#/components/schemas/DeliveryStatus"},
        description="Status of the deliveries.",
    ),
    LIMIT,
    CURSOR,
]  # fmt: skip
EVENT_LIST_PARAMETERS = [
    OpenApiParameter(
        "after", str,
        description="The `id` of the event after which to read on; without it, the list begins "
        "with the oldest event that is shown.",
    ),
    LIMIT,
]  # fmt: skip

EVERYWHERE = [
    ErrorCode.UNKNOWN_PARAMETER,
    ErrorCode.RATE_LIMITED,
    ErrorCode.INTERNAL_ERROR,
    ErrorCode.SERVICE_UNAVAILABLE,
]
WITH_KEY = [
    ErrorCode.AUTHENTICATION_REQUIRED,
    ErrorCode.INVALID_CREDENTIALS,
    ErrorCode.WRONG_ENVIRONMENT,
    ErrorCode.CREDENTIALS_EXPIRED,
    ErrorCode.CREDENTIALS_REVOKED,
    ErrorCode.PARTNER_SUSPENDED,
    ErrorCode.IP_NOT_ALLOWED,
    ErrorCode.PERMISSION_DENIED,
]
WITH_BODY = [
    ErrorCode.MALFORMED_BODY,
    ErrorCode.UNSUPPORTED_MEDIA_TYPE,
    ErrorCode.LENGTH_REQUIRED,
    ErrorCode.REQUEST_TOO_LARGE,
    ErrorCode.REQUIRED_FIELD_MISSING,
    ErrorCode.INVALID_TYPE,
    ErrorCode.INVALID_FORMAT,
    ErrorCode.VALUE_NOT_ALLOWED,
    ErrorCode.VALUE_TOO_LONG,
]
IDEMPOTENT = [
    ErrorCode.IDEMPOTENCY_KEY_INVALID,
    ErrorCode.IDEMPOTENCY_KEY_REUSED,
    ErrorCode.IDEMPOTENCY_IN_PROGRESS,
]
LIST_FAULTS = [
    ErrorCode.VALUE_NOT_ALLOWED,
    ErrorCode.INVALID_FORMAT,
    ErrorCode.VALUE_OUT_OF_RANGE,
]
LEAD_FAULTS = [code for code in ErrorCode if 2000 < code.number < 3000]
WEBHOOK_FAULTS = [ErrorCode.VALUE_OUT_OF_RANGE, ErrorCode.WEBHOOK_URL_REJECTED]
DOCUMENT_FAULTS = [
    code
    for code in ErrorCode
    if 4000 < code.number < 5000 and code is not ErrorCode.DOCUMENT_LIST_EMPTY
]


def operation(
    operation_id: str,
    *,
    responses: Mapping[int, Any],
    request: Any = None,
    errors: Iterable[ErrorCode] = (),
    parameters: Iterable[OpenApiParameter] = (),
    is_public: bool = False,
    is_idempotent: bool = False,
    tag: str = "leads",
    **options: Any,
) -> Callable[[Any], Any]:
    """Declare a view's method as an operation, with its responses, errors and parameters.

    Adds the errors of every operation, and those of keys, bodies and idempotency where they
    apply. With `is_idempotent`, the first response is declared as repeated for the same
    Idempotency-Key.
    `ApiView` refuses every query parameter that `parameters` does not declare.
    """
    parameters = list(parameters)
    codes = [*errors, *EVERYWHERE]
    codes += [] if is_public else WITH_KEY
    codes += WITH_BODY if request else []
    codes += IDEMPOTENT if is_idempotent else []
    answers = {**_successes(responses), **_refusals(codes)}
    replayed = [next(iter(responses))] if is_idempotent else []
    describe = extend_schema(
        operation_id=operation_id,
        request=request,
        responses=dict(sorted(answers.items())),
        parameters=[
            *([IDEMPOTENCY_KEY] if is_idempotent else []),
            *parameters,
            LANGUAGE,
            REQUEST_ID,
            *_answer_headers(codes, replayed=replayed),
        ],
        auth=[] if is_public else None,
        tags=["meta" if is_public else tag],
        **options,
    )

    def declare(handler: Any) -> Any:
        handler.query_parameters = [
            one.name for one in parameters if one.location == OpenApiParameter.QUERY
        ]
        return describe(handler)

    return declare


def _successes(responses: Mapping[int, Any]) -> dict[tuple[int, str], OpenApiResponse]:
    return {
        (status, "application/json"): OpenApiResponse(serializer, description=getdoc(serializer))
        for status, serializer in responses.items()
    }


def _refusals(codes: Iterable[ErrorCode]) -> dict[tuple[int, str], OpenApiResponse]:
    names: dict[int, list[str]] = {}
    for code in sorted(set(codes), key=lambda code: code.number):
        names.setdefault(code.http_status, []).append(f"`{code.name}`")
    return {
        (status, media_type): OpenApiResponse(ErrorSerializer, description=", ".join(of_status))
        for status, of_status in names.items()
        for media_type in MEDIA_TYPES
    }


def _answer_headers(codes: Iterable[ErrorCode], *, replayed: list[int]) -> list[OpenApiParameter]:
    later = {code.http_status for code in codes if code in {ErrorCode.RATE_LIMITED, *RETRY_LATER}}
    headers = [
        header("X-Request-Id", "Names the call in our logs.", required=True),
        header("API-Version", "The version of the interface.", required=True),
        header(
            "RateLimit-Limit", "Calls allowed per minute; absent if the call was not counted.", int
        ),
        header("RateLimit-Remaining", "Calls left in this minute.", int),
        header("RateLimit-Reset", "Seconds until the limit resets.", int),
        header("WWW-Authenticate", "The scheme to use.", only=[401], required=True),
        retry_header(sorted(later)),
    ]
    return [*headers, replay_header(replayed)] if replayed else headers


def replay_header(statuses: list[int]) -> OpenApiParameter:
    """Describe the header of a response repeated for the same Idempotency-Key."""
    replay = "`true` if the first response is repeated."
    return header("Idempotent-Replayed", replay, bool, only=statuses)


def retry_header(statuses: list[int]) -> OpenApiParameter:
    """Describe the Retry-After header."""
    return header("Retry-After", "Seconds to wait.", int, only=statuses)


def header(
    name: str, description: str, kind: type = str, *, only: Any = True, required: bool = False
) -> OpenApiParameter:
    """Describe a header of every response, or of responses with a status in `only`."""
    return OpenApiParameter(
        name, kind, HEADER, description=description, required=required, response=only
    )

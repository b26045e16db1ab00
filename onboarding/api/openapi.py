"""OpenAPI document: generated from operations, shapes and checks, then completed."""

import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Template
from typing import Any, Final

from django.conf import settings
from django.http import HttpResponse
from drf_spectacular.extensions import (
    OpenApiAuthenticationExtension,
    OpenApiSerializerFieldExtension,
)
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.renderers import OpenApiJsonRenderer
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.serializers import Serializer

from foundation.throttling import rate_limits
from onboarding import validators
from onboarding.api.partner_view import ApiView
from onboarding.api.webhook_openapi import describe_webhooks
from onboarding.services.webhooks import endpoints

OVERVIEW: Final = Template(Path(__file__).with_name("overview.md").read_text(encoding="utf-8"))
ROOT: Final = "/service/api/v1/"
MIME_NAME: Final = "[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*"


def whole(pattern: re.Pattern[str]) -> str:
    """Return the pattern anchored at both ends, for JSON Schema."""
    return f"^(?:{pattern.pattern})$" if "|" in pattern.pattern else f"^{pattern.pattern}$"


NO_STORE: Final = {
    "schema": {"type": "string", "const": "no-store"},
    "description": "Answers hold tokens and personal data.",
    "required": True,
}
CHECKED: Final[dict[Any, dict[str, Any]]] = {  # JSON Schema of each text check
    validators.email: {"format": "email", "maxLength": validators.EMAIL_MAX},
    validators.phone_number: {"pattern": whole(validators.PHONE_NUMBER), "maxLength": 16},
    validators.ssn: {"pattern": whole(validators.SSN), "maxLength": 11},
    validators.ein: {"pattern": whole(validators.EIN), "maxLength": 10},
    validators.state: {"pattern": "^[A-Za-z]{2}$", "maxLength": 2},
    validators.country: {"pattern": "^[A-Za-z]{2}$", "maxLength": 2},
    validators.naics_code: {"pattern": whole(validators.NAICS_CODE), "maxLength": 6},
    validators.duns: {"pattern": whole(validators.DUNS), "maxLength": 11},
    validators.https_url: {"format": "uri", "pattern": "^[Hh][Tt][Tt][Pp][Ss]://"},
    endpoints.check_server_url: {"format": "uri", "pattern": "^[Hh][Tt][Tt][Pp][Ss]?://[^#]*$"},
    validators.content_type: {"pattern": f"^{MIME_NAME}/{MIME_NAME}([ \t]*;.*)?$"},
    validators.file_name: {"pattern": r"^[^/\\\x00-\x1f\x7f]+$"},
}


class ApiKeyScheme(OpenApiAuthenticationExtension):
    """Security scheme: the `Authorization` header with access key and secret key."""

    target_class = "onboarding.api.authentication.ApiKeyAuthentication"
    name = "accessKey"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, str]:
        return {
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": f"`{settings.LEAD_API_SCHEME} <ACCESS_KEY>:<SECRET_KEY>`",
        }


class BankKeyScheme(ApiKeyScheme):
    """Security scheme: the same header with a key of a system of the bank."""

    target_class = "onboarding.api.authentication.BankKeyAuthentication"
    name = "bankKey"


class CharFieldSchema(OpenApiSerializerFieldExtension):
    """Schema of `CharField`, with the pattern of its check."""

    target_class = "onboarding.api.request_serializers.CharField"

    def map_serializer_field(self, auto_schema: AutoSchema, direction: Any) -> dict[str, Any]:
        return {"type": "string", **CHECKED.get(self.target.check, {})}


class ContentSchema(OpenApiSerializerFieldExtension):
    """Schema of `Content`: a file in Base64."""

    target_class = "onboarding.api.serializers.Content"

    def map_serializer_field(self, auto_schema: AutoSchema, direction: Any) -> dict[str, Any]:
        return {"type": "string", "format": "byte", "contentEncoding": "base64"}


class MetadataSchema(OpenApiSerializerFieldExtension):
    """Schema of `Metadata`: a map of strings with short keys."""

    target_class = "onboarding.api.serializers.Metadata"

    def map_serializer_field(self, auto_schema: AutoSchema, direction: Any) -> dict[str, Any]:
        longest, widest = validators.METADATA_KEY_MAX, validators.METADATA_VALUE_MAX
        return {
            "type": "object",
            "maxProperties": validators.METADATA_KEYS_MAX,
            "propertyNames": {"minLength": 1, "maxLength": longest},
            "additionalProperties": {"type": ["string", "null"], "maxLength": widest},
        }


class OperationSchema(AutoSchema):
    """Schema of an operation; the first line of its docstring is the summary."""

    def get_summary(self) -> str:
        return self._docstring[0].removesuffix(".")

    def get_description(self) -> str:
        needed = getattr(self.view, "permissions", {}).get(self.method)
        needs = f"The access key needs the permission `{needed.value}`." if needed else ""
        return "\n\n".join(part for part in (self._docstring[1], needs) if part)

    def get_serializer_name(self, serializer: Serializer, direction: Any) -> str:
        return super().get_serializer_name(serializer, direction).removesuffix("Representation")

    @property
    def _docstring(self) -> tuple[str, str]:
        handler = getattr(self.view, self.method.lower())
        first, _, rest = (inspect.getdoc(handler) or "").partition("\n")
        return first, rest.strip()


class DocumentView(ApiView):
    """View of the OpenAPI document, which is generated once per process."""

    is_cacheable = True

    @extend_schema(exclude=True)
    def get(self, request: Request) -> HttpResponse:
        """Respond with the document; its server is this deployment."""
        return HttpResponse(_document(), content_type="application/json")


@cache
def _document() -> bytes:
    document = SchemaGenerator().get_schema(public=True)
    document["servers"] = [{"url": settings.BASE_URL, "description": settings.ENVIRONMENT}]
    return OpenApiJsonRenderer().render(document, renderer_context={})


def complete(result: dict[str, Any], **_context: Any) -> dict[str, Any]:
    """Complete the generated OpenAPI document: a postprocessing hook of drf-spectacular.

    Adds the overview, webhooks, links, headers, shared error responses and XML names, and lists
    required properties first.
    """
    result["info"]["description"] = _overview()
    result["webhooks"] = describe_webhooks()
    _link_operations(result)
    _forbid_caches(result)
    result["components"]["headers"] = _collect_headers(result)
    result["components"]["responses"] = _collect_refusals(result)
    schemas = result["components"]["schemas"]
    schemas["Error"]["xml"] = {"name": "error"}
    schemas["ErrorItem"]["xml"] = {"name": "errors"}
    for schema in schemas.values():
        _put_required_first(schema)
    return result


def _overview() -> str:
    mebibyte = 1024**2
    return OVERVIEW.substitute(
        scheme=settings.LEAD_API_SCHEME,
        calls=_per_minute(settings.CALLS_PER_MINUTE),
        creates=_per_minute(settings.CREATES_PER_MINUTE),
        failures=_per_minute(settings.FAILED_AUTHENTICATIONS_PER_MINUTE),
        file_mib=settings.DOCUMENT_MAX_BYTES // mebibyte,
        files=settings.DOCUMENTS_MAX_PER_REQUEST,
        files_mib=settings.DOCUMENTS_MAX_BYTES_PER_REQUEST // mebibyte,
        files_of_lead=settings.DOCUMENTS_MAX_PER_LEAD,
        json_kib=settings.JSON_MAX_BYTES // 1024,
        webhooks=settings.WEBHOOKS_MAX,
        event_days=settings.EVENTS_SHOWN_FOR.days,
    )


def _per_minute(limit: int) -> int:
    return rate_limits.per_minute(limit) or limit  # with limits switched off, the configured limit


def _put_required_first(schema: dict[str, Any]) -> None:
    properties, required = schema.get("properties", {}), schema.get("required", [])
    if len(required) < len(properties):
        schema["properties"] = dict(
            sorted(properties.items(), key=lambda it: it[0] not in required)
        )


def _operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, operations in document["paths"].items():
        for operation in operations.values():
            yield path, operation


def _forbid_caches(document: dict[str, Any]) -> None:
    for _, operation in _operations(document):
        for status, response in operation["responses"].items():
            if operation.get("security") or status >= "400":
                response["headers"]["Cache-Control"] = NO_STORE


def _collect_headers(document: dict[str, Any]) -> dict[str, Any]:
    """Replace the headers of all responses with references; return each header once, by name."""
    headers: dict[str, Any] = {}
    for _, operation in _operations(document):
        for response in operation["responses"].values():
            headers |= response["headers"]
            response["headers"] = {
                name: {"$ref": f"#/components/headers/{name}"} for name in response["headers"]
            }
    return dict(sorted(headers.items()))


def _collect_refusals(document: dict[str, Any]) -> dict[str, Any]:
    """Replace error responses that three or more operations share with references.

    Return the shared responses by the names that the references have.
    """
    alike: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for _, operation in _operations(document):
        for status, response in operation["responses"].items():
            if status >= "400":
                alike.setdefault((status, repr(response)), []).append(operation["responses"])
    refusals: dict[str, Any] = {}
    for (status, _), holders in alike.items():
        if len(holders) > 2:
            name = f"Error{status}"
            if name in refusals:  # two responses of a status: add the name of the first error
                name += holders[0][status]["description"].title().replace("_", "").split("`")[1]
            refusals[name] = holders[0][status]
            for responses in holders:
                responses[status] = {"$ref": f"#/components/responses/{name}"}
    return dict(sorted(refusals.items()))


def _link_operations(document: dict[str, Any]) -> None:
    """Add links from the id of a new lead or webhook to each operation on that id."""
    for path, id_name, answered in (
        ("lead", "customerId", "customerId"),
        ("webhooks", "webhookId", "externalId"),
    ):
        created = document["paths"][f"{ROOT}{path}"]["put"]["responses"]["201"]
        created["links"] = {
            operation["operationId"]: {
                "operationId": operation["operationId"],
                "parameters": {id_name: f"$response.body#/{answered}"},
            }
            for other, operation in _operations(document)
            if re.findall(r"{(\w+)}", other) == [id_name]
        }

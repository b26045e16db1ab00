"""Error responses: exceptions of views become one body, in XML or JSON.

Each error has its message in English and in the caller's language, English or Spanish.
"""

import logging
import re
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any
from xml.etree import ElementTree

import orjson
import psycopg
from django.conf import settings
from django.core.exceptions import BadRequest, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import get_language_from_request
from rest_framework import exceptions
from rest_framework.request import Request

from foundation.throttling.rate_limits import RateLimited
from onboarding.errors import ErrorCode, Fault, Refused

logger = logging.getLogger(__name__)

NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
XML_TYPES = ("application/xml", "text/xml")
MAX_NAMED = 100
RETRY_LATER = {
    ErrorCode.SERVICE_UNAVAILABLE: "5",
    ErrorCode.IDEMPOTENCY_IN_PROGRESS: "1",
    ErrorCode.CLOCK_MOVING: "5",
}


def exception_handler(exc: Exception, context: dict[str, Any]) -> HttpResponse:
    """Convert an exception of a view to an error response. Unexpected exceptions are logged."""
    request, view = context["request"], context["view"]
    response = render(_faults(exc), request, prefers_xml=getattr(view, "prefers_xml", False))
    if isinstance(exc, Refused) and exc.retry_after:
        response["Retry-After"] = str(exc.retry_after)
    if isinstance(exc, exceptions.MethodNotAllowed):
        response["Allow"] = ", ".join(view.allowed_methods)
    return response


def render(
    faults: Iterable[Fault], request: HttpRequest | Request, *, prefers_xml: bool = False
) -> HttpResponse:
    """Return an error response with the status and the headers of the first fault.

    The Accept header chooses JSON or XML. If it takes both or neither, `prefers_xml` chooses.
    """
    faults = list(faults)
    code = faults[0].code
    body = error_body(faults, request)
    if _wants_xml(request, prefers_xml=prefers_xml):
        response = HttpResponse(_xml(body), content_type="application/xml; charset=utf-8")
    else:
        response = HttpResponse(orjson.dumps(body), content_type="application/json")
    response.status_code = code.http_status
    response["Vary"] = "Accept, Accept-Language"
    if code.http_status == HTTPStatus.UNAUTHORIZED:
        response["WWW-Authenticate"] = f'{settings.LEAD_API_SCHEME} realm="lead-api"'
    if code in RETRY_LATER:
        response["Retry-After"] = RETRY_LATER[code]
    return response


def error_body(faults: list[Fault], request: HttpRequest | Request) -> dict[str, Any]:
    """Return the body of an error response, with the first MAX_NAMED faults.

    The status is that of the first fault; `faults` must not be empty.
    """
    status = HTTPStatus(faults[0].code.http_status)
    language = language_of(request)
    return {
        "httpStatus": status.value,
        "reasonPhrase": status.phrase,
        "errors": [error_item(fault, language) for fault in faults[:MAX_NAMED]],
        "requestId": request.META.get("HTTP_X_REQUEST_ID", ""),
    }


def error_item(fault: Fault, language: str) -> dict[str, Any]:
    """Return one error of the body; `field` is a JSON pointer, or null for the whole request."""
    return {
        "code": fault.code.number,
        "codeName": fault.code.name,
        "message": fault.text("en"),
        "localizedMessage": fault.text(language),
        "field": fault.pointer,
    }


def _faults(exc: Exception) -> list[Fault]:
    if isinstance(exc, Refused):
        return exc.faults
    if isinstance(exc, RateLimited):
        return [Fault(ErrorCode.RATE_LIMITED, params={"seconds": exc.usage.reset_seconds})]
    if isinstance(exc, exceptions.MethodNotAllowed):
        return [Fault(ErrorCode.METHOD_NOT_ALLOWED)]
    if isinstance(exc, (Http404, exceptions.NotFound)):
        return [Fault(ErrorCode.RESOURCE_NOT_FOUND)]
    if isinstance(exc, (BadRequest, SuspiciousOperation)):
        return [Fault(ErrorCode.BAD_REQUEST)]
    if isinstance(exc, (OperationalError, InterfaceError)) or _is_read_only(exc):
        logger.critical("the database is not available", exc_info=exc)
        return [Fault(ErrorCode.SERVICE_UNAVAILABLE)]
    logger.error("a call failed", exc_info=exc)
    return [Fault(ErrorCode.INTERNAL_ERROR)]


def _is_read_only(exc: Exception) -> bool:
    """Return whether PostgreSQL refused a write because it is a read-only standby."""
    return isinstance(exc.__cause__, psycopg.errors.ReadOnlySqlTransaction)


def language_of(request: HttpRequest | Request) -> str:
    """Return the language of localized messages: `en` or `es`."""
    return "es" if get_language_from_request(request).startswith("es") else "en"


def _wants_xml(request: HttpRequest | Request, *, prefers_xml: bool) -> bool:
    takes_json = request.accepts("application/json")
    takes_xml = any(request.accepts(xml_type) for xml_type in XML_TYPES)
    return takes_xml or not takes_json if prefers_xml else takes_xml and not takes_json


def _xml(body: dict[str, Any]) -> bytes:
    root = ElementTree.Element("error")
    for name, value in body.items():
        if name == "errors":
            for item in value:
                _add(ElementTree.SubElement(root, name), item)
        else:
            _add(root, {name: value})
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)


def _add(parent: ElementTree.Element, values: dict[str, Any]) -> None:
    for name, value in values.items():
        if value is not None:
            ElementTree.SubElement(parent, name).text = NOT_XML.sub("", str(value))

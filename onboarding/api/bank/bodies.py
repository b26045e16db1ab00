"""Request bodies of the record feed: one line, or a stream of lines that is never held whole."""

from typing import IO, cast

from django.conf import settings
from django.http import HttpRequest
from rest_framework.request import Request

from onboarding.api.parsers import LengthRequired, MalformedBody, UnsupportedMediaType
from onboarding.api.spool import RequestTooLarge
from onboarding.errors import ErrorCode, Refused

NDJSON = "application/x-ndjson"
JSON = "application/json"


class NotNdjson(Refused):
    """The body is not declared as lines of JSON."""

    code = ErrorCode.BATCH_NOT_NDJSON


def open_lines(request: Request, *, is_atomic: bool) -> IO[bytes]:
    """Return the body as a file, from which its lines can be read one by one.

    The body of an atomic batch must not be chunked: one that breaks off looks like a shorter batch.
    Raises: NotNdjson, LengthRequired, MalformedBody, RequestTooLarge.
    """
    unparsed = _unparsed(request)
    if unparsed.content_type != NDJSON:
        raise NotNdjson
    if is_atomic and "HTTP_TRANSFER_ENCODING" in unparsed.META:
        raise LengthRequired
    _length(unparsed, limit=settings.FEED_BODY_MAX_BYTES)
    return cast("IO[bytes]", unparsed)


def read_line(request: Request) -> bytes:
    """Return the JSON of one record, which is the whole body.

    Raises: UnsupportedMediaType, LengthRequired, MalformedBody, RequestTooLarge.
    """
    unparsed = _unparsed(request)
    if unparsed.content_type != JSON:
        raise UnsupportedMediaType
    return unparsed.read(_length(unparsed, limit=settings.FEED_LINE_MAX_BYTES))


def _unparsed(request: Request) -> HttpRequest:
    unparsed: HttpRequest = request._request  # noqa: SLF001 - DRF would parse the body
    return unparsed


def _length(request: HttpRequest, *, limit: int) -> int:
    """Return the Content-Length, 0 if absent; of a chunked body the length that our server counted.

    Raises: LengthRequired if the length of a chunked body was not counted; MalformedBody if the
    length is no number; RequestTooLarge if it is over `limit` bytes.
    """
    text = request.META.get("CONTENT_LENGTH") or ""
    if not text and "HTTP_TRANSFER_ENCODING" in request.META:
        raise LengthRequired
    text = text or "0"
    if not (text.isascii() and text.isdigit()):
        raise MalformedBody("cut")
    if int(text) > limit:
        raise RequestTooLarge(limit=limit)
    return int(text)

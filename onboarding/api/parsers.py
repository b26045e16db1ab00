"""Request bodies: strict JSON parsing without duplicate keys, NaN and NUL."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

from django.conf import settings
from django.http import HttpRequest
from django.http.request import UnreadablePostError
from rest_framework.request import Request

from onboarding.api import spool
from onboarding.errors import ErrorCode, Fault, Invalid, Refused
from onboarding.uploads import Uploads

JSON_TYPE = re.compile(r"application/(?:[\w.+-]+\+)?json", re.ASCII | re.IGNORECASE)
BROKEN = re.compile("[\0\ud800-\udfff]")
REASONS: Final = {
    "utf8": {"en": "it is not UTF-8", "es": "no es UTF-8"},
    "syntax": {"en": "its syntax is wrong", "es": "su sintaxis es incorrecta"},
    "duplicate": {"en": "a key occurs twice in one object", "es": "una clave aparece dos veces"},
    "number": {"en": "NaN and Infinity are no numbers", "es": "NaN e Infinity no son números"},
    "depth": {"en": "it is nested too deeply", "es": "está anidado demasiado"},
    "characters": {
        "en": "it holds a NUL or half a surrogate pair",
        "es": "contiene un NUL o medio par sustituto",
    },
    "cut": {"en": "it ends too early", "es": "termina demasiado pronto"},
}


class MalformedBody(Refused):
    """The body is not one well-formed JSON document."""

    code = ErrorCode.MALFORMED_BODY

    def __init__(self, reason: str) -> None:
        super().__init__(reason=REASONS[reason])


class UnsupportedMediaType(Refused):
    """The body is not declared as JSON in UTF-8."""

    code = ErrorCode.UNSUPPORTED_MEDIA_TYPE


class LengthRequired(Refused):
    """The body is chunked, but the operation or the server needs a Content-Length."""

    code = ErrorCode.LENGTH_REQUIRED


@dataclass(frozen=True)
class Unannounced:
    """Stream of a chunked body, which Django does not read. Its errors are UnreadablePostError."""

    stream: spool.Stream

    def read(self, size: int, /) -> bytes:
        """Return the next bytes, `size` at most. Raises: UnreadablePostError."""
        try:
            return self.stream.read(size)
        except OSError as exc:
            raise UnreadablePostError(*exc.args) from exc


@dataclass
class Body:
    """The JSON object of a request body, and the SHA-256 of the body as it was sent.

    `uploads` holds the documents that were decoded from the body. Close `uploads` at the end of the
    request.
    """

    data: dict[str, Any]
    sha256: str
    uploads: Uploads = field(default_factory=Uploads)


NO_BODY: Final = Body({}, hashlib.sha256(b"").hexdigest())


@contextmanager
def open_body(request: Request, *, is_optional: bool = False) -> Iterator[Body]:
    """Read and yield the body, and delete its temporary files at the end of the block.

    Raises: the exceptions of `read_body`. A missing optional body becomes an empty object.
    """
    unparsed: HttpRequest = request._request  # noqa: SLF001 - DRF would parse the body
    if is_optional and _content_length(unparsed) == 0:
        yield NO_BODY
        return
    body = read_body(unparsed)
    try:
        yield body
    finally:
        body.uploads.close()


def read_body(request: HttpRequest) -> Body:
    """Return the JSON object of the body, and its hash.

    Documents in a body that is chunked or longer than JSON_MAX_BYTES are decoded while reading;
    those of other bodies stay Base64 text.
    Raises: UnsupportedMediaType, LengthRequired, RequestTooLarge, MalformedBody, Invalid.
    """
    _require_json(request)
    length = _content_length(request)
    limit = longest_body()
    if length is not None and length > limit:
        raise spool.RequestTooLarge(limit=limit)
    if length is None or length > settings.JSON_MAX_BYTES:
        return _read_large(request, length, limit)
    raw = _read_exactly(request, length)
    return Body(as_object(loads(raw)), hashlib.sha256(raw).hexdigest())


def longest_body() -> int:
    """Return the largest size of a body that is read. Units: bytes.

    Base64 takes four bytes for three; its line breaks and escapes take up to a seventh more.
    """
    encoded = settings.DOCUMENTS_MAX_BYTES_PER_REQUEST * 4 / 3 * 8 / 7
    return int(encoded) + settings.JSON_MAX_BYTES


def loads(raw: bytes) -> Any:
    """Parse JSON in UTF-8. Refuses duplicate keys, NaN, NUL, lone surrogates and deep nesting.

    Raises: MalformedBody.
    """
    try:
        text = raw.decode()
        data = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse_constant)
    except UnicodeDecodeError:
        raise MalformedBody("utf8") from None
    except RecursionError:
        raise MalformedBody("depth") from None
    except ValueError:
        raise MalformedBody("syntax") from None
    if "\\u" in text or text.count("{") + text.count("[") > settings.JSON_MAX_DEPTH:
        _inspect(data)
    return data


def as_object(data: Any) -> dict[str, Any]:
    """Return parsed JSON if it is an object. Raises: Invalid for a list, text or number."""
    if not isinstance(data, dict):
        expected = {"en": "a JSON object", "es": "un objeto JSON"}
        raise Invalid([Fault(ErrorCode.INVALID_TYPE, params={"expected": expected})])
    return data


def _read_large(request: HttpRequest, length: int | None, limit: int) -> Body:
    stream = request if length is not None else Unannounced(request.META["wsgi.input"])
    try:
        spooled = spool.read_large_body(stream, limit=limit)
    except UnreadablePostError:
        raise MalformedBody("cut") from None
    try:
        if length is not None and spooled.size_bytes != length:
            raise MalformedBody("cut")
        data = as_object(spooled.insert_contents(loads(spooled.json)))
    except BaseException:
        spooled.uploads.close()
        raise
    return Body(data, spooled.sha256, spooled.uploads)


def _read_exactly(request: HttpRequest, length: int) -> bytes:
    try:
        raw = request.read(length)
    except UnreadablePostError:
        raise MalformedBody("cut") from None
    if len(raw) != length:
        raise MalformedBody("cut")
    return raw


def _require_json(request: HttpRequest) -> None:
    charset = (request.content_params or {}).get("charset", "utf-8").lower()
    encoding = request.headers.get("Content-Encoding", "identity").lower()
    is_json = JSON_TYPE.fullmatch(request.content_type or "")
    if not is_json or charset not in {"utf-8", "utf8"} or encoding != "identity":
        raise UnsupportedMediaType


def _content_length(request: HttpRequest) -> int | None:
    """Return the Content-Length, 0 if absent; None for a chunked body whose end the server marks.

    Raises: LengthRequired for other chunked bodies; MalformedBody for a length that is no number.
    """
    if "chunked" in request.headers.get("Transfer-Encoding", "").lower():
        if not request.META.get("wsgi.input_terminated"):
            raise LengthRequired
        return None
    text = request.META.get("CONTENT_LENGTH") or "0"
    if not (text.isascii() and text.isdigit()):
        raise MalformedBody("cut")
    return int(text)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise MalformedBody("duplicate")
    return found


def _refuse_constant(_name: str) -> NoReturn:
    raise MalformedBody("number")


def _inspect(data: Any) -> None:
    level: list[Any] = [data]
    for _ in range(settings.JSON_MAX_DEPTH + 1):
        if any(BROKEN.search(text) for node in level for text in _texts(node)):
            raise MalformedBody("characters")
        level = [child for node in level for child in _children(node)]
        if not level:
            return
    raise MalformedBody("depth")


def _children(node: Any) -> Iterator[Any]:
    if isinstance(node, Mapping):
        yield from node.values()
    elif isinstance(node, list):
        yield from node


def _texts(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, Mapping):
        yield from node

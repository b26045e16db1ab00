"""POST /mcp: one JSON answer per call, no session, no stream."""

import logging
from datetime import datetime
from typing import Any

import mcp_types as types
import orjson
import structlog
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.http.request import RawPostDataException
from django.middleware.gzip import GZipMiddleware
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from mcp.shared.inbound import (
    ERROR_CODE_HTTP_STATUS,
    InboundLadderRejection,
    classify_inbound_request,
    unsupported_protocol_version_rejection,
)
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from mcp_server import protocol, texts
from mcp_server.oauth import challenges
from mcp_server.oauth.cors import cross_origin, is_origin_listed
from mcp_server.oauth.unavailable import DATABASE_AWAY, RETRY_SECONDS
from mcp_server.protocol import Message, error
from mcp_server.scopes import Scope
from mcp_server.services import authentication, calls
from mcp_server.services.authentication import Grant, InvalidToken
from mcp_server.services.calls import CallContext

logger = logging.getLogger(__name__)

UNNAMED_VERSION = "2025-03-26"  # what a request without the header speaks, as MCP has it
BATCHED_VERSIONS = {"2024-11-05", "2025-03-26"}
MAX_BATCH_SIZE = 50
COMPRESSED_FROM = 32 * 1024  # bytes; less is sent faster than it is compressed
COMPRESSION = GZipMiddleware(lambda _request: HttpResponse())
JSON_TYPES = {"application/json", "application/*", "*/*"}


class Refused(Exception):
    """A request refused before the protocol: an HTTP status, and a JSON-RPC error as its body."""

    def __init__(self, status: int, message: str, code: int = types.INVALID_REQUEST) -> None:
        self.status = status
        self.body = error(None, code, message)
        super().__init__(message)


@cross_origin("POST", listed=True)
@csrf_exempt
def mcp(request: HttpRequest) -> HttpResponseBase:
    """Answer an assistant in any version of the protocol; without a valid token, by a challenge."""
    try:
        response = _respond(request)
    except DATABASE_AWAY:
        logger.exception("the database is not available")
        response = _unavailable(request)
    if len(response.content) < COMPRESSED_FROM:
        return response
    return COMPRESSION.process_response(request, response)


def _respond(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    try:
        _check_origin(request)
        if request.method != "POST":
            return HttpResponse(status=405, headers={"Allow": "POST"})
        grant = _authenticate(request, at=now)
        body = _parse(request)
    except InvalidToken as exc:
        return challenges.token_wanted(request, problem=str(exc))
    except Refused as exc:
        return _reply(exc.body, exc.status)
    context = CallContext(grant, request.META["HTTP_X_REQUEST_ID"], now)
    messages = [Message(item) for item in (body if isinstance(body, list) else [body])]
    _log_tools(messages)
    if not grant.allows(_scopes_of(messages)):
        return _refuse_scopes(request, messages, context)
    version = request.headers.get("mcp-protocol-version") or UNNAMED_VERSION
    if version not in HANDSHAKE_PROTOCOL_VERSIONS:
        return _answer_modern(request, None if isinstance(body, list) else messages[0], context)
    if isinstance(body, list):
        return _answer_batch(messages, version, context)
    answer = protocol.answer(messages[0], version, context)
    if answer is None:
        return HttpResponse(status=202)
    return _reply(answer, 400 if answer["id"] is None else 200)


def _log_tools(messages: list[Message]) -> None:
    """Add the names of the called tools to each log line of the request.

    A tool that does not exist is logged as "unknown".
    """
    calls_ = [message for message in messages if message.method == "tools/call"]
    if calls_:
        names = {message.tool.name if message.tool else "unknown" for message in calls_}
        structlog.contextvars.bind_contextvars(tool=",".join(sorted(names)))


def _answer_batch(messages: list[Message], version: str, context: CallContext) -> HttpResponse:
    if version not in BATCHED_VERSIONS:
        return _refuse(f"JSON-RPC batches are no part of {version}")
    if not 0 < len(messages) <= MAX_BATCH_SIZE:
        return _refuse(f"A batch has 1 to {MAX_BATCH_SIZE} messages")
    answers = [protocol.answer(message, version, context, in_batch=True) for message in messages]
    replies = [answer for answer in answers if answer is not None]
    return _reply(replies) if replies else HttpResponse(status=202)


def _answer_modern(
    request: HttpRequest, message: Message | None, context: CallContext
) -> HttpResponse:
    """Answer in a version whose every request carries its own envelope. Refuses batches."""
    if message is None or not isinstance(message.method, str):
        return _refuse("The body must be one JSON-RPC request or notification")
    headers = {name.lower(): value for name, value in request.headers.items()}
    if not message.is_request:
        rejection = unsupported_protocol_version_rejection(headers["mcp-protocol-version"])
        return _reject(rejection, None) if rejection else HttpResponse(status=202)
    verdict = classify_inbound_request(message.body, headers=headers)
    if isinstance(verdict, InboundLadderRejection):
        return _reject(verdict, message.id)
    answer = protocol.answer(message, verdict.protocol_version, context)
    if answer is None or "error" not in answer:
        return _reply(answer)
    return _reply(answer, ERROR_CODE_HTTP_STATUS.get(answer["error"]["code"], 200))


def _check_origin(request: HttpRequest) -> None:
    """Raise Refused for a page of another site, which could have been rebound to this server."""
    if not is_origin_listed(request):
        raise Refused(403, "Origin not allowed")


def _authenticate(request: HttpRequest, *, at: datetime) -> Grant:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise InvalidToken("")
    return authentication.authenticate(token.strip(), at=at)


def _parse(request: HttpRequest) -> Any:
    if request.content_type != "application/json":
        raise Refused(415, "Content-Type must be application/json")
    accepted = request.headers.get("accept", "*/*").split(",")
    if JSON_TYPES.isdisjoint(kind.partition(";")[0].strip().lower() for kind in accepted):
        raise Refused(406, "The client must accept application/json")
    try:
        return orjson.loads(request.body)
    except RequestDataTooBig:
        raise Refused(413, "The body is too large") from None
    except ValueError:
        raise Refused(400, "Parse error", types.PARSE_ERROR) from None


def _refuse_scopes(
    request: HttpRequest, messages: list[Message], context: CallContext
) -> HttpResponse:
    asked = [(message.tool, message.arguments) for message in messages if message.tool]
    for tool, arguments in asked[:MAX_BATCH_SIZE]:
        if not context.grant.allows(tool.scopes):
            calls.record_missing_scope(tool, arguments, context)
    wanted = [scope.value for scope in _scopes_of(messages)]
    return challenges.scopes_wanted(request, wanted, granted=context.grant.scopes)


def _scopes_of(messages: list[Message]) -> list[Scope]:
    """Return the scopes that the called tools need."""
    return [scope for message in messages if message.tool for scope in message.tool.scopes]


def _unavailable(request: HttpRequest) -> HttpResponse:
    """Return 503 with a JSON-RPC error; its id is null unless the body is a single request."""
    try:
        body = _parse(request)
    except (Refused, RawPostDataException):
        body = None
    message = f"The service is not available right now. Try again in {RETRY_SECONDS} seconds."
    response = _reply(error(Message(body).id, types.INTERNAL_ERROR, message), 503)
    response["Retry-After"] = str(RETRY_SECONDS)
    return response


def _refuse(message: str) -> HttpResponse:
    return _reply(error(None, types.INVALID_REQUEST, message), 400)


def _reject(rejection: InboundLadderRejection, id_: Any) -> HttpResponse:
    status = ERROR_CODE_HTTP_STATUS.get(rejection.code, 400)
    return _reply(error(id_, rejection.code, rejection.message, rejection.data), status)


def _reply(body: Any, status: int = 200) -> HttpResponse:
    return HttpResponse(texts.rendered(body), status=status, content_type="application/json")

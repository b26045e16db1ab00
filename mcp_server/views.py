"""POST /mcp: one JSON answer per call, no session, no stream."""

import logging
from collections.abc import Iterator
from typing import Any

import mcp_types as types
import orjson
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.http.request import RawPostDataException
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import (
    ERROR_CODE_HTTP_STATUS,
    InboundLadderRejection,
    classify_inbound_request,
    unsupported_protocol_version_rejection,
)
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from mcp_server import protocol, schema
from mcp_server.oauth import challenges
from mcp_server.oauth.cors import cross_origin, is_origin_listed
from mcp_server.oauth.unavailable import DATABASE_AWAY, RETRY_SECONDS
from mcp_server.registry import TOOLS, Tool
from mcp_server.services import authentication, calls
from mcp_server.services.authentication import Grant, InvalidToken

Json = dict[str, Any]
logger = logging.getLogger(__name__)

UNNAMED_VERSION = "2025-03-26"  # what a request without the header speaks, as MCP has it
BATCHED_VERSIONS = {"2024-11-05", "2025-03-26"}
BATCH_MAX = 50
JSON_TYPES = {"application/json", "application/*", "*/*"}


class Refused(Exception):
    """The request is not answered by the protocol: an HTTP status, and why as JSON-RPC."""

    def __init__(self, status: int, message: str, code: int = types.INVALID_REQUEST) -> None:
        self.status = status
        self.body = _error(None, code, message)
        super().__init__(message)


@cross_origin("POST", listed=True)
@csrf_exempt
def mcp(request: HttpRequest) -> HttpResponse:
    """Answer an assistant: any version of the protocol, with a token or a challenge."""
    try:
        return _respond(request)
    except DATABASE_AWAY:
        logger.exception("the database is not available")
        return _unavailable(request)


def _respond(request: HttpRequest) -> HttpResponse:
    try:
        _check_origin(request)
        if request.method != "POST":
            return HttpResponse(status=405, headers={"Allow": "POST"})
        grant = _authenticate(request)
        body = _parse(request)
    except InvalidToken as exc:
        return challenges.token_wanted(request, problem=str(exc))
    except Refused as exc:
        return _reply(exc.body, exc.status)
    tools = list(_called(body))
    if not grant.allows(tool.scope for tool in tools):
        return _refuse_scopes(request, tools, grant)
    return Exchange(request, grant).answer(body)


class Exchange:
    """One POST by somebody known: a message, or a batch of them."""

    def __init__(self, request: HttpRequest, grant: Grant) -> None:
        self.request = request
        self.grant = grant
        self.header = request.headers.get("mcp-protocol-version")

    def answer(self, body: Any) -> HttpResponse:
        if self.header and self.header not in HANDSHAKE_PROTOCOL_VERSIONS:
            return self._answer_modern(body)
        version = self.header or UNNAMED_VERSION
        if isinstance(body, list):
            return self._answer_batch(body, version)
        answer = self._dispatch(body, version)
        if answer is None:
            return HttpResponse(status=202)
        return _reply(answer, 400 if answer["id"] is None else 200)

    def _answer_batch(self, messages: list[Any], version: str) -> HttpResponse:
        if version not in BATCHED_VERSIONS:
            return _refuse(f"JSON-RPC batches are no part of {version}")
        if not 0 < len(messages) <= BATCH_MAX:
            return _refuse(f"A batch has 1 to {BATCH_MAX} messages")
        answers = [self._dispatch(message, version, in_batch=True) for message in messages]
        told = [answer for answer in answers if answer is not None]
        return _reply(told) if told else HttpResponse(status=202)

    def _answer_modern(self, body: Any) -> HttpResponse:
        """Answer in a version whose every request carries its own envelope."""
        if not isinstance(body, dict) or not isinstance(body.get("method"), str):
            return _refuse("The body must be one JSON-RPC request or notification")
        if "id" not in body:
            rejection = unsupported_protocol_version_rejection(self.header or "")
            return _reject(rejection, None) if rejection else HttpResponse(status=202)
        headers = {name.lower(): value for name, value in self.request.headers.items()}
        verdict = classify_inbound_request(body, headers=headers)
        if isinstance(verdict, InboundLadderRejection):
            return _reject(verdict, body["id"] if _is_id(body["id"]) else None)
        answer = self._dispatch(body, verdict.protocol_version)
        if answer is None or "error" not in answer:
            return _reply(answer)
        return _reply(answer, ERROR_CODE_HTTP_STATUS.get(answer["error"]["code"], 200))

    def _dispatch(self, message: Any, version: str, *, in_batch: bool = False) -> Json | None:
        """Answer one message; notifications and stray responses get None."""
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return _error(None, types.INVALID_REQUEST, "Invalid Request")
        method, id_, params = message.get("method"), message.get("id"), message.get("params")
        if method is None and ("result" in message or "error" in message):
            return None
        if not isinstance(method, str) or ("id" in message and not _is_id(id_)):
            return _error(None, types.INVALID_REQUEST, "Invalid Request")
        if "id" not in message:
            return None
        if in_batch and method == "initialize":
            return _error(id_, types.INVALID_REQUEST, "initialize must not be part of a batch")
        if params is not None and not isinstance(params, dict):
            return _error(id_, types.INVALID_PARAMS, "params must be an object")
        return self._handle(id_, method, version, params or {})

    def _handle(self, id_: Any, method: str, version: str, params: Json) -> Json:
        try:
            result = protocol.handle(
                method,
                version,
                params,
                is_accountant=self.grant.is_accountant,
                call_tool=self._call,
            )
        except MCPError as exc:
            return _error(id_, exc.error.code, exc.error.message, exc.error.data)
        return {"jsonrpc": "2.0", "id": id_, "result": result}

    def _call(self, tool: Tool, arguments: Json) -> calls.Answer:
        request_id = self.request.META["HTTP_X_REQUEST_ID"]
        return calls.call(
            tool, arguments, grant=self.grant, request_id=request_id, at=timezone.now()
        )


def _check_origin(request: HttpRequest) -> None:
    """Raise Refused for a page of another site, which could have been rebound to this server."""
    if not is_origin_listed(request):
        raise Refused(403, "Origin not allowed")


def _authenticate(request: HttpRequest) -> Grant:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise InvalidToken("")
    return authentication.authenticate(token.strip(), at=timezone.now())


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


def _called(body: Any) -> Iterator[Tool]:
    """Yield the tools that a body calls: one challenge names the scopes of all of them."""
    for message in body if isinstance(body, list) else [body]:
        if isinstance(message, dict) and message.get("method") == "tools/call":
            params = message.get("params")
            name = params.get("name") if isinstance(params, dict) else None
            if isinstance(name, str) and name in TOOLS:
                yield TOOLS[name]


def _refuse_scopes(request: HttpRequest, tools: list[Tool], grant: Grant) -> HttpResponse:
    now, request_id = timezone.now(), request.META["HTTP_X_REQUEST_ID"]
    for tool in tools[:BATCH_MAX]:
        if not grant.allows([tool.scope]):
            calls.record_missing_scope(tool, grant=grant, request_id=request_id, at=now)
    wanted = [tool.scope.value for tool in tools]
    return challenges.scopes_wanted(request, wanted, granted=grant.scopes)


def _unavailable(request: HttpRequest) -> HttpResponse:
    """Return 503 with an error for the request's id, or for none if there is not one alone."""
    try:
        body = _parse(request)
    except (Refused, RawPostDataException):
        body = None
    id_ = body.get("id") if isinstance(body, dict) else None
    message = f"The service is not available right now. Try again in {RETRY_SECONDS} seconds."
    error = _error(id_ if _is_id(id_) else None, types.INTERNAL_ERROR, message)
    response = _reply(error, 503)
    response["Retry-After"] = str(RETRY_SECONDS)
    return response


def _is_id(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))


def _error(id_: Any, code: int, message: str, data: Any = None) -> Json:
    error = {"code": code, "message": message} | ({} if data is None else {"data": data})
    return {"jsonrpc": "2.0", "id": id_, "error": error}


def _refuse(message: str) -> HttpResponse:
    return _reply(_error(None, types.INVALID_REQUEST, message), 400)


def _reject(rejection: InboundLadderRejection, id_: Any) -> HttpResponse:
    status = ERROR_CODE_HTTP_STATUS.get(rejection.code, 400)
    return _reply(_error(id_, rejection.code, rejection.message, rejection.data), status)


def _reply(body: Any, status: int = 200) -> HttpResponse:
    return HttpResponse(schema.rendered(body), status=status, content_type="application/json")

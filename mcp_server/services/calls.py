"""Tool calls: rate limits, answers and the access log."""

import logging
import re
import time
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist
from django.db import InterfaceError, OperationalError

from banking.models.stored_files import NotOpenable
from foundation.database import replica
from foundation.metrics import declared as metrics
from foundation.metrics.instruments import FAILED, OK
from foundation.throttling import rate_limits
from mcp_server import limits, names, texts
from mcp_server.caller import NAMES, Caller
from mcp_server.errors import ErrorCode, ToolError, denied, not_found
from mcp_server.json_schemas import REMARK
from mcp_server.models import ANSWERED
from mcp_server.registry import Tool
from mcp_server.schema import FileResult
from mcp_server.scopes import Scope
from mcp_server.services import access_log, file_links, second_factor
from mcp_server.services.authentication import Grant

RESULT_MAX_CHARACTERS = 80_000  # of a result that is no file
SHORTENED = (
    "Only the first {kept} of {whole} {name} are listed; narrow the question for the others."
)
FILE_ONCE = "The content is in structuredContent.base64, and at downloadUrl until expiresAt."
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class CallContext:
    """The grant of a request with tool calls, the request's id, and its time of arrival."""

    grant: Grant
    request_id: str
    at: datetime


@dataclass(frozen=True)
class Answer:
    """The JSON object that answers a call, and the same as text.

    `brief` is the text of a file's answer without the content, for clients that read the object.
    """

    payload: dict[str, Any]
    text: str
    is_error: bool = False
    brief: str | None = None


def call(tool: Tool, arguments: dict[str, Any], context: CallContext) -> Answer:
    """Answer a call of a tool and log it. Errors become answers, but for an unavailable database.

    Of calls over a rate limit, only the first in each window is logged: a client that never
    stops would bury the log of data that was read.
    Raises: OperationalError, InterfaceError.
    """
    started = time.perf_counter()
    grant = context.grant
    caller = Caller(
        grant.user, scope=tool.scope, owner=grant.owner, scopes=grant.scopes, reach=grant.reach
    )
    try:
        usage = _spend(tool, context)
        _refuse_unwelcome(tool, caller, grant)
        limits.require_within(grant.reach, tool.within, on=context.at.date())
        is_fresh = tool.writes or usage is None or usage.wrote
        # which clients an accountant may read is read by the tool, and may have just ended
        result = replica.read(
            lambda: tool.answer(caller, arguments), wrote=is_fresh or caller.is_accountant
        )
        if isinstance(result, FileResult):
            file_links.attach(result, tool=tool.name, caller=caller, grant=grant, at=context.at)
        payload = result.as_json()
        if not grant.reach.shows_names:
            names.hide(payload, tool.result)
        outcome, answer = ANSWERED, _answer(payload, tool)
    except rate_limits.RateLimited as exc:
        outcome, answer = ErrorCode.RATE_LIMITED.value, _refusal(_too_many(exc.usage))
        if not exc.is_first:  # one row per window tells enough
            _measure(tool, outcome, started)
            return answer
    except (OperationalError, InterfaceError):
        _measure(tool, FAILED, started)
        raise  # without a database nothing can be written down either
    except Exception as exc:  # noqa: BLE001 - the assistant gets an error that it knows
        error = _as_tool_error(exc, tool)
        outcome, answer = error.code.value, _refusal(error)
    milliseconds = round(_measure(tool, outcome, started) * 1000)
    concerned = caller.concerned
    if answer.is_error and not concerned:
        concerned = caller.named_by(arguments)
    _log(tool, context, outcome, business_ids=concerned, duration_ms=milliseconds)
    return answer


def record_missing_scope(tool: Tool, arguments: dict[str, Any], context: CallContext) -> None:
    """Log a call that was refused for a missing scope.

    It counts against the rate limit; calls over the limit are not logged.
    """
    started = time.perf_counter()
    try:
        _spend(tool, context)
    except rate_limits.RateLimited:
        _measure(tool, ErrorCode.RATE_LIMITED, started)
        return
    _measure(tool, ErrorCode.ACCESS_DENIED, started)
    grant = context.grant
    caller = Caller(grant.user, scope=tool.scope, owner=grant.owner)
    business_ids = caller.named_by(arguments)
    _log(tool, context, ErrorCode.ACCESS_DENIED, business_ids=business_ids, duration_ms=0)


def _measure(tool: Tool, outcome: str, started: float) -> float:
    """Count a call by its outcome, and return its duration in seconds."""
    seconds = time.perf_counter() - started
    metrics.TOOL_CALLS.count(tool.name, OK if outcome == ANSWERED else str(outcome))
    metrics.TOOL_CALL_DURATION.observe(seconds, tool.name)
    return seconds


def _log(
    tool: Tool, context: CallContext, outcome: str, *, business_ids: list[int], duration_ms: int
) -> None:
    access_log.record(
        connection_id=context.grant.connection_id,
        tool=tool.name,
        business_ids=business_ids,
        outcome=outcome,
        duration_ms=duration_ms,
        request_id=context.request_id,
        limits=limits.limits_of(context.grant.reach, on=context.at.date()),
        at=context.at,
    )


def _refuse_unwelcome(tool: Tool, caller: Caller, grant: Grant) -> None:
    if grant.is_paused:
        page = f"{settings.BASE_URL}/connected-assistants"
        raise denied(f"The user has paused this assistant; only the user can resume it, at {page}.")
    if tool.is_for_accountants and not caller.is_accountant:
        raise denied("This tool is for accountants.")
    shows_numbers = tool.shows_account_numbers and grant.allows([Scope.ACCOUNT_NUMBERS])
    needs_second_factor = shows_numbers or caller.is_accountant
    if needs_second_factor and second_factor.is_missing_for_assistants(grant.user):
        reason = (
            "Accountants' assistants may read nothing"
            if caller.is_accountant
            else "This tool shows full account numbers, which assistants may not read"
        )
        page = f"{settings.BASE_URL}/second-factor"
        raise denied(f"{reason} until the user has set up two-step verification, at {page}.")


def _spend(tool: Tool, context: CallContext) -> rate_limits.Usage | None:
    connection_id = context.grant.connection_id
    allowances = {f"tools:{connection_id}": settings.TOOL_CALLS_PER_MINUTE}
    if tool.is_download:
        allowances[f"downloads:{connection_id}"] = settings.TOOL_DOWNLOADS_PER_MINUTE
    writer = f"user:{context.grant.user.pk}"
    return rate_limits.spend(allowances, at=context.at, writer=writer)


def _too_many(usage: rate_limits.Usage) -> ToolError:
    wait = usage.reset_seconds
    message = f"Too many requests: {usage.limit} a minute are allowed. Retry in {wait} seconds."
    return ToolError(ErrorCode.RATE_LIMITED, message, retryAfterSeconds=wait)


def _as_tool_error(exc: Exception, tool: Tool) -> ToolError:
    if isinstance(exc, ToolError):
        return exc
    if isinstance(exc, ObjectDoesNotExist):
        noun = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(exc).__qualname__.split(".")[0]).lower()
        return not_found(f"There is no such {noun}.{_source_of_id(tool)}")
    if isinstance(exc, NotOpenable):
        return not_found(f"This file cannot be downloaded. {exc}")
    logger.error("tool %s failed", tool.name, exc_info=exc)
    return ToolError(ErrorCode.INTERNAL_ERROR, "Unexpected server-side error.")


def _source_of_id(tool: Tool) -> str:
    """Return a sentence that says where the id that the tool requires comes from, or nothing."""
    for name in tool.input_schema.get("required", []):
        source = tool.input_schema["properties"][name].get("description", "")
        if name not in NAMES and "svc_" in source:
            return f" Take {source}"
    return ""


def _answer(payload: dict[str, Any], tool: Tool) -> Answer:
    text = _json(payload)
    if not texts.is_clean(text):
        payload = texts.cleaned(payload)
        text = _json(payload)
    if tool.is_download:
        return Answer(payload, text, brief=_without_file(payload))
    if len(text) <= RESULT_MAX_CHARACTERS:
        return Answer(payload, text)
    return _shortened(payload)


def _without_file(payload: dict[str, Any]) -> str | None:
    """Return the text of a file's result without the file; None if the file is a link anyway."""
    if payload["base64"] is None:
        return None
    return _json({**payload, "base64": None, REMARK: FILE_ONCE})


def _shortened(payload: dict[str, Any]) -> Answer:
    """Shorten the longest list to the items that fit, and add a remark.

    The remark is part of the payload: clients that read structured content show nothing else.
    """
    lists = {name: value for name, value in payload.items() if isinstance(value, list)}
    name = max(lists, key=lambda name: len(lists[name]))
    whole = len(lists[name])
    longest = {REMARK: SHORTENED.format(kept=whole, whole=whole, name=name)}
    room = RESULT_MAX_CHARACTERS - len(_json({**payload, name: [], **longest}))
    kept = 0
    for item in lists[name]:
        room -= len(_json(item)) + 1
        if room < 0:
            break
        kept += 1
    remark = SHORTENED.format(kept=kept, whole=whole, name=name)
    shorter = {**payload, name: lists[name][:kept], REMARK: remark}
    return Answer(shorter, _json(shorter))


def _refusal(error: ToolError) -> Answer:
    payload: dict[str, Any] = error.as_json()
    return Answer(payload, _json(payload), is_error=True)


def _json(value: Any) -> str:
    return texts.rendered(value).decode()

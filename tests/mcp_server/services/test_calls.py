"""Tool calls: limited, answered, written down."""

import logging
from datetime import UTC, datetime, timedelta

import orjson
import pytest
from django.db import InterfaceError, OperationalError

from banking.models import Invoice
from mcp_server import registry
from mcp_server.models import AccessLogEntry, Connection
from mcp_server.registry import TOOLS, tool
from mcp_server.schema import Page, Result
from mcp_server.scopes import Scope
from mcp_server.services import calls
from mcp_server.services.authentication import Grant
from tests.factories import make_access, make_business
from tests.mcp_server.conftest import connect

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


class Words(Result):
    """Some words."""

    words: list[str]


@pytest.fixture
def tried(monkeypatch):
    """Return a function that makes a tool of a function for one test."""
    monkeypatch.setattr(registry, "TOOLS", {**TOOLS})

    def make(function):
        tool(Scope.CARDS, title="Try")(function)
        return registry.TOOLS[function.__name__]

    return make


@pytest.fixture
def grant(assistant, owner):
    return Grant(owner, assistant.connection.pk, is_paused=False, scopes=frozenset(Scope.values))


def call(tool, grant, *, at=NOON, **arguments):
    return calls.call(tool, arguments, calls.CallContext(grant, "request-1", at))


def entries():
    return list(AccessLogEntry.objects.values_list("tool", "outcome", "request_id", "business"))


def test_a_call_is_written_down_with_the_business(grant, business, django_assert_num_queries):
    with django_assert_num_queries(3):  # the business, the cards, the log
        call(TOOLS["svc_list_cards"], grant)

    assert entries() == [("svc_list_cards", "OK", "request-1", business.pk)]


def test_an_error_of_ours_is_told_to_the_log_alone(tried, grant, caplog):
    def breaks(caller) -> Words:
        raise RuntimeError("account 123456789")

    with caplog.at_level(logging.ERROR):
        answer = call(tried(breaks), grant)

    assert answer.payload == {
        "error": {
            "code": "INTERNAL_ERROR",
            "message": "Unexpected server-side error.",
            "httpStatus": 500,
        }
    }
    assert "RuntimeError" in caplog.text
    assert entries() == [("breaks", "INTERNAL_ERROR", "request-1", None)]


@pytest.mark.parametrize("error", [OperationalError, InterfaceError])
def test_a_database_that_is_away_is_left_to_the_view(tried, grant, error):
    def breaks(caller) -> Words:
        raise error("lock timeout")

    with pytest.raises(error):
        call(tried(breaks), grant)


def test_what_does_not_exist_is_not_found(tried, grant):
    def seeks(caller) -> Words:
        raise Invoice.DoesNotExist

    assert call(tried(seeks), grant).payload["error"] == {
        "code": "NOT_FOUND",
        "message": "There is no such invoice.",
        "httpStatus": 404,
    }


def test_a_paused_assistant_is_refused(grant):
    paused = Grant(grant.user, grant.connection_id, is_paused=True, scopes=grant.scopes)

    error = call(TOOLS["svc_list_cards"], paused).payload["error"]

    assert error["code"] == "ACCESS_DENIED"
    assert "/connected-assistants" in error["message"]


def test_calls_are_limited_per_minute(grant, settings):
    settings.RATE_LIMIT_FACTOR = 1
    settings.TOOL_CALLS_PER_MINUTE = 2
    cards = TOOLS["svc_list_cards"]

    answers = [call(cards, grant, at=NOON + timedelta(seconds=second)) for second in (0, 10, 20)]
    later = call(cards, grant, at=NOON + timedelta(seconds=60))

    assert [answer.is_error for answer in [*answers, later]] == [False, False, True, False]
    assert answers[2].payload["error"] == {
        "code": "RATE_LIMITED",
        "message": "Too many requests: 2 a minute are allowed. Retry in 40 seconds.",
        "httpStatus": 429,
        "retryAfterSeconds": 40,
    }
    assert [outcome for _, outcome, _, _ in entries()] == ["OK", "OK", "RATE_LIMITED", "OK"]


def test_a_call_takes_three_statements_beside_its_answer(
    assistant, settings, django_assert_num_queries
):
    settings.RATE_LIMIT_FACTOR = 1

    with django_assert_num_queries(3 + 1):  # the cards; the business comes with the token
        assistant.call("svc_list_cards")


def test_text_of_others_is_cleaned(tried, grant):
    def tells(caller) -> Words:
        return Words(
            words=["Caf\u00e9 \u202eevil\u202c", "a\u200bb\x07c", "two\nlines", "na\u00efve"]
        )

    answer = call(tried(tells), grant)

    assert answer.payload == {"words": ["Caf\u00e9 evil", "abc", "two lines", "na\u00efve"]}
    assert orjson.loads(answer.text) == answer.payload


def test_a_list_that_is_too_long_ends_with_a_whole_item(tried, grant):
    def talks(caller, page: Page = 0) -> Words:
        return Words(words=["x" * 990] * 100)

    answer = call(tried(talks), grant)

    assert len(answer.text) <= 80_000
    assert set(answer.payload["words"]) == {"x" * 990}
    assert answer.payload["remark"] == (
        "Only the first 80 of 100 words are listed; narrow the question for the others."
    )
    assert orjson.loads(answer.text) == answer.payload


def test_a_list_that_is_told_whole_has_no_remark(tried, grant):
    def talks(caller) -> Words:
        return Words(words=["x"])

    assert call(tried(talks), grant).payload == {"words": ["x"]}


def test_the_remark_is_in_the_schema_of_results_with_lists(tried):
    def talks(caller) -> Words:
        return Words(words=[])

    [schema, _] = tried(talks).output_schema["anyOf"]

    assert "remark" in schema["properties"]
    assert "remark" not in schema["required"]


def test_calls_without_the_scope_count_and_then_leave_no_trace(grant, settings):
    settings.RATE_LIMIT_FACTOR = 1
    settings.TOOL_CALLS_PER_MINUTE = 2

    for _ in range(5):
        context = calls.CallContext(grant, "request-1", NOON)
        calls.record_missing_scope(TOOLS["svc_list_cards"], {}, context)

    assert [outcome for _, outcome, _, _ in entries()] == ["ACCESS_DENIED"] * 2


def test_refusals_beyond_the_limit_leave_one_row_per_window(grant, settings):
    settings.RATE_LIMIT_FACTOR = 1
    settings.TOOL_CALLS_PER_MINUTE = 1

    answers = [call(TOOLS["svc_list_cards"], grant) for _ in range(5)]

    assert [answer.is_error for answer in answers] == [False, True, True, True, True]
    assert [outcome for _, outcome, _, _ in entries()] == ["OK", "RATE_LIMITED"]


def test_what_was_read_is_not_in_the_log_of_an_error(tried, grant, caplog):
    read = " ".join(["Maya", "Baker"])

    def breaks(caller) -> Words:
        return Words(words=read)

    with caplog.at_level(logging.ERROR):
        call(tried(breaks), grant)

    assert "ValidationError" in caplog.text
    assert read not in caplog.text


def test_a_refused_call_is_in_the_log_of_the_business_that_it_was_about(
    accountants_assistant, accountant, business
):
    stranger = make_business()
    ended = make_access(accountant, status="REVOKED", revoked_at=NOON).business
    for named in (business, ended, stranger):
        Connection.objects.update(paused_at=NOON if named == business else None)
        accountants_assistant.call("svc_list_cards", businessUserId=str(named.external_id))

    assert [(outcome, about) for _, outcome, _, about in entries()] == [
        ("ACCESS_DENIED", business.pk),
        ("ACCESS_DENIED", ended.pk),
        ("ACCESS_DENIED", None),
    ]


def test_a_call_without_the_scope_is_in_the_log_of_the_business(accountant, business, owner):
    make_access(accountant, business)
    for user, named in ((owner, {}), (accountant.user, {"businessUserId": business.external_id})):
        arguments = {name: str(value) for name, value in named.items()}
        call = {"name": "svc_list_cards", "arguments": arguments}
        connect(user, scopes=["bills:read"]).ask("tools/call", call)

    assert [about for *_, about in entries()] == [business.pk, business.pk]


@pytest.mark.parametrize("named", [7, ["x"], {"a": 1}, "", "x", "\x00"])
def test_nonsense_in_place_of_a_business_concerns_none(accountants_assistant, named):
    Connection.objects.update(paused_at=NOON)

    accountants_assistant.ask(
        "tools/call", {"name": "svc_list_cards", "arguments": {"businessUserId": named}}
    )

    assert [about for *_, about in entries()] == [None]

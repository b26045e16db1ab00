"""POST /mcp over HTTP: who may call, and how."""

import gzip
import json

import psycopg
import pytest
from django.db import InterfaceError, OperationalError, connection
from django.test import Client

from mcp_server.models import AccessLogEntry
from mcp_server.scopes import Scope

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
CARDS = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "svc_list_cards"}}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
METADATA = 'resource_metadata="http://testserver/.well-known/oauth-protected-resource/mcp"'


@pytest.mark.parametrize(
    "sent", [{}, {"authorization": "Basic eDp5"}, {"authorization": "Bearer "}]
)
def test_without_a_token_there_is_a_challenge(db, sent):
    response = Client(headers=sent).post("/mcp", PING, content_type="application/json")

    assert response.status_code == 401
    assert response.json()["error"]["code"] == "AUTHENTICATION_REQUIRED"
    challenge = response["WWW-Authenticate"]
    assert challenge.startswith('Bearer realm="mcp",scope="accounts:read ')
    assert METADATA in challenge
    assert "error=" not in challenge


def test_a_long_answer_is_compressed_for_clients_that_accept_it(assistant):
    tools = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}

    plain = assistant.post(tools)
    compressed = assistant.post(tools, **{"accept-encoding": "gzip, deflate"})
    short = assistant.post(PING, **{"accept-encoding": "gzip"})

    assert "Content-Encoding" not in plain
    assert compressed["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in compressed["Vary"]
    assert gzip.decompress(compressed.content) == plain.content
    assert len(compressed.content) < len(plain.content) / 5
    assert "Content-Encoding" not in short


def test_a_bad_token_is_told_so(assistant):
    response = assistant.post(PING, authorization="Bearer nonsense")

    assert response.status_code == 401
    assert 'error="invalid_token"' in response["WWW-Authenticate"]
    assert METADATA in response["WWW-Authenticate"]


def test_a_missing_scope_is_named(make_assistant, owner):
    assistant = make_assistant(owner, scopes=[Scope.TAX])

    response = assistant.post(CARDS)

    assert response.status_code == 403
    assert response.json()["error"] == {
        "code": "ACCESS_DENIED",
        "message": "The user did not grant cards:read.",
        "httpStatus": 403,
    }
    challenge = response["WWW-Authenticate"]
    assert 'error="insufficient_scope"' in challenge
    assert 'scope="cards:read tax:read"' in challenge
    assert AccessLogEntry.objects.values_list("tool", "outcome").get() == (
        "svc_list_cards",
        "ACCESS_DENIED",
    )


@pytest.mark.parametrize("error", [OperationalError, InterfaceError])
@pytest.mark.parametrize(
    ("broken", "message", "id_"),
    [
        ("authentication.authenticate", CARDS, 2), ("authentication.authenticate", [PING], None),
        ("calls.call", CARDS, 2),
    ],
)  # fmt: skip
def test_without_a_database_it_says_when_to_come_back(
    assistant, monkeypatch, error, broken, message, id_
):
    def fail(*_, **__):
        raise error("password=hunter2")

    monkeypatch.setattr(f"mcp_server.views.{broken}", fail)

    response = assistant.post(message, origin="http://testserver")

    assert (response.status_code, response["Retry-After"]) == (503, "5")
    assert response["Access-Control-Allow-Origin"] == "http://testserver"
    assert response.json() == {
        "jsonrpc": "2.0",
        "id": id_,
        "error": {
            "code": -32603,
            "message": "The service is not available right now. Try again in 5 seconds.",
        },
    }


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no lock of a table")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("table", ["oauth2_provider_accesstoken", "banking_card"])
def test_a_locked_table_is_answered_in_time(transactional_db, make_assistant, owner, table):
    assistant = make_assistant(owner)
    ours = connection.connection.info
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '100ms'")
    with psycopg.connect(
        host=ours.host, port=ours.port, user=ours.user, dbname=ours.dbname
    ) as other:
        other.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
        response = assistant.post(CARDS)
        other.rollback()
    connection.close()

    assert (response.status_code, response["Retry-After"]) == (503, "5")


@pytest.mark.parametrize("method", ["get", "delete", "put", "options", "head"])
def test_only_post_is_answered(db, method):
    response = getattr(Client(), method)("/mcp")

    assert response.status_code in {204, 405}
    if method != "options":
        assert response["Allow"] == "POST"


@pytest.mark.parametrize(
    ("origin", "status"),
    [("http://testserver", 200), ("https://evil.example.com", 403), ("null", 403)],
)
def test_pages_of_other_sites_are_refused(assistant, origin, status):
    assert assistant.post(PING, origin=origin).status_code == status


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://localhost:6274", 200),
        ("http://127.0.0.1:8841", 200),
        ("http://[::1]:3000", 200),
        ("http://localhost.evil.example.com", 403),
        ("http://evil.example.com:6274", 403),
        ("file://localhost", 403),
        ("http://[", 403),
        ("null", 403),
    ],
)
def test_a_sandbox_on_loopback_lets_in_pages_of_loopback(assistant, settings, origin, status):
    assert assistant.post(PING, origin="http://localhost:6274").status_code == 403

    settings.MCP_LOOPBACK_ORIGINS = True

    response = assistant.post(PING, origin=origin)
    assert response.status_code == status
    assert response.get("Access-Control-Allow-Origin") == (origin if status == 200 else None)


def test_a_page_of_ours_may_call_and_read_the_challenge(db):
    origin = {"origin": "http://testserver"}
    asks = {**origin, "access-control-request-method": "POST"}

    preflight = Client(headers=asks).options("/mcp")
    refused = Client(headers=origin).post("/mcp", PING, content_type="application/json")

    assert preflight.status_code == 204
    assert preflight["Access-Control-Allow-Origin"] == "http://testserver"
    assert "POST" in preflight["Access-Control-Allow-Methods"]
    assert refused.status_code == 401
    assert "WWW-Authenticate" in refused["Access-Control-Expose-Headers"]


@pytest.mark.parametrize(
    ("accept", "status"),
    [
        ("application/json", 200),
        ("application/json, text/event-stream", 200),
        ("*/*", 200),
        (None, 200),
        ("text/event-stream", 406),
        ("text/html", 406),
    ],
)
def test_the_client_must_take_json(assistant, accept, status):
    assert assistant.post(PING, accept=accept).status_code == status


def test_another_content_type_is_refused(assistant):
    client = Client(headers={"authorization": f"Bearer {assistant.token}"})

    assert client.post("/mcp", "{}", content_type="text/plain").status_code == 415


@pytest.mark.parametrize(
    "body",
    [
        "{",
        "nonsense",
        b"\xff\xfe",
        "[" * 100_000,
        '{"a":' * 50_000,
        "NaN",
        "\ud800".encode("utf-8", "surrogatepass"),
    ],
)
def test_a_body_that_is_no_json_is_a_parse_error(assistant, body):
    response = assistant.post(body)

    assert (response.status_code, response.json()["error"]["code"]) == (400, -32700)


def test_a_large_body_is_refused(assistant):
    response = assistant.post(json.dumps({**PING, "params": {"x": "y" * 3_000_000}}))

    assert response.status_code == 413


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"jsonrpc": "1.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": None, "method": "ping"},
        {"jsonrpc": "2.0", "id": True, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1.5, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1, "method": 5},
        {"jsonrpc": "2.0", "id": 1},
        "text",
        "5",
        "null",
    ],
)
def test_what_is_no_request_is_invalid(assistant, body):
    response = assistant.post(json.dumps(body) if body != "text" else '"text"')

    assert (response.status_code, response.json()["error"]["code"]) == (400, -32600)


def test_parameters_must_be_an_object(assistant):
    assert assistant.post({**PING, "params": [1]}).json()["error"]["code"] == -32602


@pytest.mark.parametrize(
    "body",
    [
        INITIALIZED,
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": 7, "error": {}},
    ],
)
def test_what_wants_no_answer_is_accepted(assistant, body):
    response = assistant.post(body)

    assert (response.status_code, response.content) == (202, b"")


@pytest.mark.parametrize("version", [None, "2025-03-26", "2024-11-05"])
def test_a_batch_is_answered_in_order(assistant, version):
    initialize = {"jsonrpc": "2.0", "id": "i", "method": "initialize", "params": {}}

    response = assistant.post([PING, INITIALIZED, CARDS, initialize, 5], version=version)

    answers = response.json()
    assert [answer["id"] for answer in answers] == [1, 2, "i", None]
    assert answers[0]["result"] == {}
    assert answers[1]["result"]["isError"] is False
    assert answers[2]["error"]["message"] == "initialize must not be part of a batch"
    assert answers[3]["error"]["code"] == -32600


@pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25", "2026-07-28"])
def test_newer_versions_know_no_batches(assistant, version):
    assert assistant.post([PING], version=version).status_code == 400


@pytest.mark.parametrize(("count", "status"), [(0, 400), (50, 200), (51, 400)])
def test_a_batch_has_its_size(assistant, count, status):
    assert assistant.post([PING] * count, version=None).status_code == status


def test_a_batch_of_notifications_is_accepted(assistant):
    response = assistant.post([INITIALIZED, INITIALIZED], version=None)

    assert (response.status_code, response.content) == (202, b"")


def test_an_unknown_version_is_refused(assistant):
    assert assistant.post(PING, version="1999-01-01").status_code == 400


def test_an_unknown_tool_is_a_fault_of_the_call(assistant):
    error = assistant.ask("tools/call", {"name": "svc_pay_everybody"})["error"]

    assert error == {"code": -32602, "message": "Unknown tool: svc_pay_everybody"}
    assert not AccessLogEntry.objects.exists()


def test_the_name_of_an_unknown_tool_is_not_echoed_at_length(assistant):
    error = assistant.ask("tools/call", {"name": "\u202ex" * 1000})["error"]

    assert error["message"] == "Unknown tool: " + "x" * 32


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"businessUserId": 5}, "businessUserId: must be a text of at most 64 characters"),
        ({"businessUserId": "x" * 65}, "businessUserId: must be a text of at most 64 characters"),
        ({"businessUserId": "a\x00b"}, "businessUserId: must be a text without control characters"),
        ({"businessUserId": {"a": 1}}, "businessUserId: must be a text of at most 64 characters"),
        ({"who": 1}, "who: is not known; svc_list_cards takes businessUserId"),
        (
            {"business_user_id": "x"},
            "business_user_id: is not known; svc_list_cards takes businessUserId",
        ),
    ],
)
def test_a_bad_argument_is_named_with_what_is_allowed(assistant, arguments, message):
    assert assistant.refusal("svc_list_cards", **arguments) == ("INVALID_PARAMETER", message)


def test_null_counts_as_left_out(assistant):
    assert assistant.call("svc_list_cards", businessUserId=None)["totalCount"] == 0


def test_accountants_are_told_of_more_tools(assistant, accountants_assistant):
    def names(who):
        return {tool["name"] for tool in who.ask("tools/list")["result"]["tools"]}

    assert names(assistant) < names(accountants_assistant)


@pytest.mark.parametrize("page", [1e308, 1e22, 2_000_000, 0, -1, 1.5, "1", True])
def test_a_number_that_is_out_of_range_is_named(assistant, page):
    assert assistant.refusal("svc_search_transactions", page=page) == (
        "INVALID_PARAMETER",
        "page: must be a whole number from 1 to 1000000",
    )


def test_each_log_line_of_a_call_names_the_tool_and_no_text_of_the_caller(assistant, caplog):
    caplog.set_level("INFO")
    assistant.call("svc_get_account_summary")
    assistant.ask("tools/call", {"name": "my secret tool", "arguments": {}})

    lines = [record.msg for record in caplog.records if isinstance(record.msg, dict)]
    tools = [line["tool"] for line in lines if line.get("event") == "request_finished"]
    assert tools == ["svc_get_account_summary", "unknown"]

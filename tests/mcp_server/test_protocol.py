"""What holds in every version of the protocol."""

import pytest
from django.conf import settings

from mcp_server.errors import ErrorCode

STATUSES = {
    "AUTHENTICATION_REQUIRED": 401,
    "ACCESS_DENIED": 403,
    "INVALID_PARAMETER": 400,
    "NOT_FOUND": 404,
    "RATE_LIMITED": 429,
    "INTERNAL_ERROR": 500,
}


@pytest.mark.parametrize(
    ("version", "has_schema"),
    [("2024-11-05", False), ("2025-03-26", False), ("2025-06-18", True), ("2025-11-25", True)],
)
def test_every_version_has_the_structure_and_the_later_ones_its_schema(
    assistant, version, has_schema
):
    tools = assistant.ask("tools/list", version=version)["result"]["tools"]
    call = {"name": "svc_list_cards", "arguments": {}}

    result = assistant.ask("tools/call", call, version=version)["result"]

    assert {"outputSchema" in tool for tool in tools} == {has_schema}
    assert "error" not in result["structuredContent"]


def test_each_code_has_its_status():
    assert {code.value: code.http_status for code in ErrorCode} == STATUSES


def test_files_have_a_limit_of_their_own(assistant, settings):
    settings.RATE_LIMIT_FACTOR, settings.TOOL_DOWNLOADS_PER_MINUTE = 1, 1
    march = {"startDate": "2026-03-01", "endDate": "2026-03-31"}

    first = assistant.result("svc_export_transactions_csv", **march)
    code, message = assistant.refusal("svc_export_transactions_csv", **march)
    cards = assistant.result("svc_list_cards")

    assert not first["isError"]
    assert (code, "1 a minute" in message) == ("RATE_LIMITED", True)
    assert not cards["isError"]


def test_the_limits_and_lifetimes_are_the_documented_ones():
    lifetimes = settings.OAUTH2_PROVIDER

    assert (settings.TOOL_CALLS_PER_MINUTE, settings.TOOL_DOWNLOADS_PER_MINUTE) == (60, 10)
    assert lifetimes["AUTHORIZATION_CODE_EXPIRE_SECONDS"] == 60
    assert lifetimes["ACCESS_TOKEN_EXPIRE_SECONDS"] == 60 * 60
    assert lifetimes["REFRESH_TOKEN_EXPIRE_SECONDS"] == 30 * 24 * 60 * 60

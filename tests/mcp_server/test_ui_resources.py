"""UI resources: the pages that clients show beside answers."""

import re

import pytest

from mcp_server.registry import TOOLS
from mcp_server.ui_resources import CASH_FLOW, MIME_TYPE, RESOURCES


def test_the_page_is_listed_and_read(assistant):
    [listed] = assistant.ask("resources/list")["result"]["resources"]
    [contents] = assistant.ask("resources/read", {"uri": CASH_FLOW})["result"]["contents"]

    assert (listed["uri"], listed["mimeType"]) == (CASH_FLOW, MIME_TYPE)
    assert (contents["uri"], contents["mimeType"]) == (CASH_FLOW, MIME_TYPE)
    assert contents["_meta"]["ui"]["csp"] == {"connectDomains": [], "resourceDomains": []}


def test_the_page_is_called_by_the_figures_that_it_shows(assistant):
    [listed] = assistant.ask("resources/list")["result"]["resources"]
    [contents] = assistant.ask("resources/read", {"uri": CASH_FLOW})["result"]["contents"]

    assert listed["title"] == "Income, expenses and profit"
    assert listed["description"] == "A chart of income, expenses or profit, by day or month."
    assert "<title>Income, expenses and profit</title>" in contents["text"]


def test_the_page_needs_nothing_from_elsewhere(assistant):
    [contents] = assistant.ask("resources/read", {"uri": CASH_FLOW})["result"]["contents"]
    addresses = re.findall(r"https?://[^\s\"']+", contents["text"])

    assert contents["text"].startswith("<!doctype html>")
    assert addresses == ["http://www.w3.org/2000/svg"]  # the name of a namespace
    assert " src=" not in contents["text"]
    assert "innerHTML" not in contents["text"]


def test_the_summary_names_its_page(assistant):
    tools = {tool["name"]: tool for tool in assistant.ask("tools/list")["result"]["tools"]}
    pages = {name: tool["_meta"]["ui"] for name, tool in tools.items() if "_meta" in tool}

    assert pages == {"svc_get_financial_summary": {"resourceUri": CASH_FLOW}}
    assert {tool.page for tool in TOOLS.values() if tool.page} <= set(RESOURCES)


@pytest.mark.parametrize(("version", "code"), [("2025-11-25", -32002), ("2025-03-26", -32002)])
def test_a_page_that_there_is_not_is_refused(assistant, version, code):
    answer = assistant.ask("resources/read", {"uri": "ui://vestibule/none"}, version=version)

    assert answer["error"] == {
        "code": code,
        "message": "Resource not found",
        "data": {"uri": "ui://vestibule/none"},
    }

"""Prompts: their lists, and the texts that they make of a user's arguments."""

import re

import pytest

from mcp_server.prompts import PROMPTS
from mcp_server.registry import TOOLS

TOOL_NAME = re.compile(r"\b(?:svc_\w+|list_customers|select_customer)")


def listed(assistant):
    prompts = assistant.ask("prompts/list")["result"]["prompts"]
    return {one["name"]: [argument["name"] for argument in one["arguments"]] for one in prompts}


def text_of(assistant, name, **arguments):
    answer = assistant.ask("prompts/get", {"name": name, "arguments": arguments})
    [message] = answer["result"]["messages"]
    assert message["role"] == "user"
    return message["content"]["text"]


def test_an_owner_is_offered_the_tasks_without_a_client(assistant):
    assert listed(assistant) == {
        "month_in_review": ["month"],
        "set_aside_for_tax": [],
        "close_checklist": ["month"],
        "unusual_spending": ["month"],
    }


def test_an_accountant_names_a_client(accountants_assistant):
    assert all("client" in arguments for arguments in listed(accountants_assistant).values())


@pytest.mark.parametrize("name", PROMPTS)
def test_a_task_names_tools_that_there_are(assistant, name):
    named = set(TOOL_NAME.findall(text_of(assistant, name)))

    assert named
    assert named <= set(TOOLS)


def test_a_month_stands_in_the_text(assistant):
    assert "Review 2026-10 for my business." in text_of(
        assistant, "month_in_review", month="2026-10"
    )
    assert "Review the last whole month for" in text_of(assistant, "month_in_review")


def test_a_client_stands_in_the_text(accountants_assistant):
    named = text_of(accountants_assistant, "close_checklist", client="Golden Crumb & Sons")

    assert "my client “Golden Crumb & Sons” (call list_customers" in named
    assert "ask me which one I mean" in text_of(accountants_assistant, "close_checklist")


def test_an_argument_is_cut_and_cleaned(assistant):
    text = text_of(assistant, "month_in_review", month="{whose}\u202e\n" + "x" * 500)

    assert "Review {whose} xxx" in text
    assert "x" * 101 not in text


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"name": "win_the_lottery"}, "Unknown prompt: win_the_lottery"),
        ({"name": "set_aside_for_tax", "arguments": {"month": "May"}}, "Unknown argument: month"),
        ({"name": "month_in_review", "arguments": {"client": "Echo"}}, "Unknown argument: client"),
    ],
)  # fmt: skip
def test_what_there_is_not_is_refused(assistant, params, message):
    error = assistant.ask("prompts/get", params)["error"]

    assert (error["code"], error["message"]) == (-32602, message)

"""The catalogue on a terminal."""

import json

import pytest
from django.core.management import call_command

from mcp_server.registry import TOOLS


@pytest.fixture
def printed(capsys):
    def run(*arguments):
        call_command("list_tools", *arguments)
        return capsys.readouterr().out

    return run


def test_each_tool_has_a_line(printed):
    lines = printed().splitlines()

    assert [line.split()[0] for line in lines] == list(TOOLS)
    assert "svc_list_cards                        cards:read          List cards" in lines


def test_the_catalogue_is_json_for_programs(printed):
    catalogue = {tool["name"]: tool for tool in json.loads(printed("--json"))}

    assert catalogue.keys() == TOOLS.keys()
    assert catalogue["svc_list_cards"]["inputSchema"]["properties"].keys() == {"businessUserId"}

"""`manage.py print_server_json`: the entry in a registry."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command


def test_the_entry_names_the_server_by_its_domain(settings):
    settings.MCP_URL = "https://business.bank.example.com/mcp"
    settings.BANK_NAME = "Example Bank"
    printed = StringIO()

    call_command("print_server_json", stdout=printed)

    entry = json.loads(printed.getvalue())
    assert entry["name"] == "com.example.bank.business/banking"
    assert entry["title"] == "Example Bank"
    assert len(entry["description"]) <= 100
    assert entry["remotes"] == [
        {"type": "streamable-http", "url": "https://business.bank.example.com/mcp"}
    ]


@pytest.mark.parametrize("url", ["http://bank.example.com/mcp", "https://localhost/mcp"])
def test_an_address_that_is_not_public_is_refused(settings, url):
    settings.MCP_URL = url

    with pytest.raises(CommandError, match="is no public address"):
        call_command("print_server_json")

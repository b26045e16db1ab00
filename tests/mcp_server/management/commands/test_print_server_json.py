"""`manage.py print_server_json`: the entry in a registry."""

import json
from io import StringIO

import jsonschema
import pytest
from django.core.management import CommandError, call_command

from mcp_server.management.commands.print_server_json import SCHEMA

# The rules of the schema at SCHEMA for the keys that the entry has.
TEXT = {"type": "string", "minLength": 1}
SERVER = {
    "type": "object",
    "required": ["$schema", "name", "description", "version", "remotes"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"const": SCHEMA},
        "name": {
            **TEXT,
            "minLength": 3,
            "maxLength": 200,
            "pattern": "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$",
        },
        "title": {**TEXT, "maxLength": 100},
        "description": {**TEXT, "maxLength": 100},
        "version": {"type": "string", "maxLength": 255},
        "remotes": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["type", "url"],
                "additionalProperties": False,
                "properties": {"type": {"const": "streamable-http"}, "url": TEXT},
            },
        },
    },
}


def test_the_entry_fits_the_schema_of_the_registry(settings):
    settings.MCP_URL = "https://business.bank.example.com/mcp"
    settings.BANK_NAME = "Example Bank " * 20
    printed = StringIO()

    call_command("print_server_json", stdout=printed)

    jsonschema.validate(json.loads(printed.getvalue()), SERVER)


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

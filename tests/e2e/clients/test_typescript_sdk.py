"""The official TypeScript clients, which hold every answer against the schema it was told."""

import base64
import json
import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest

from mcp_server.registry import TOOLS, offered
from tests.e2e import npm
from tests.e2e.working import working

SDK = "@modelcontextprotocol/sdk@1.32.2"
NEXT = "@modelcontextprotocol/client@2.4.0"
HERE = Path(__file__).parent
SIGNATURES = {"application/pdf": b"%PDF-", "application/zip": b"PK", "image/png": b"\x89PNG"}
MAY_BE_EMPTY = {"payments", "discounts", "skipped", "notFound", "notGranted"}

pytestmark = pytest.mark.one_database


@pytest.fixture(scope="module")
def workers(bank):
    """Who writes the expense report."""
    with working(bank) as crew:
        yield crew


@contextmanager
def driver(address):
    command = [npm.node(), str(HERE / "every_tool.mjs"), str(npm.modules(SDK)), address]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:
        try:
            yield process
        finally:
            process.kill()


def call_everything(person, address):
    """Return the answer of each tool that the person's assistant is offered."""
    with driver(address) as process:
        page = json.loads(process.stdout.readline())["visit"]
        said, complaints = process.communicate(f"{person.visit(page)}\n", timeout=300)
    assert process.returncode == 0, complaints
    return json.loads(said)["tools"]


def assert_all_is_answered(answers):
    """Hold answers against what the demo bank has: something for each tool."""
    assert [name for name, answer in answers.items() if "error" in answer] == []
    for name, answer in answers.items():
        if TOOLS[name].is_download:
            content = base64.b64decode(answer["base64"], validate=True)
            kind = answer["contentType"].partition(";")[0]
            assert content.startswith(SIGNATURES.get(kind, b"")), name
        empty = {key for key, value in answer.items() if value == []}
        assert empty <= MAY_BE_EMPTY, name


def test_an_owners_assistant_calls_every_tool(bank, owner, workers):
    answers = call_everything(owner, bank.facts["MCP_URL"])

    assert sorted(answers) == sorted(tool.name for tool in offered(to_accountants=False))
    assert_all_is_answered(answers)


def test_an_accountants_assistant_calls_every_tool(bank, accountant, workers):
    answers = call_everything(accountant, bank.facts["MCP_URL"])

    assert sorted(answers) == sorted(TOOLS)
    assert_all_is_answered(answers)


def test_the_next_client_negotiates_2026_07_28(bank):
    command = [npm.node(), str(HERE / "next_client.mjs"), str(npm.modules(NEXT))]

    done = subprocess.run(
        [*command, bank.facts["MCP_URL"], bank.facts["TOKEN"]],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )

    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["version"] == "2026-07-28"
    assert said["tools"] == [tool.name for tool in offered(to_accountants=False)]
    assert said["user"]["email"] == bank.facts["OWNER_EMAIL"]

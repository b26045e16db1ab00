"""The official conformance suite; the files beside it say what need not pass, and why.

`server` runs what a version of the protocol requires, on a server with the tools that the suite
calls by name; `authorization` reads the metadata and goes through a grant as a client.
"""

import re
import subprocess
from pathlib import Path

import httpx2
import pytest

from tests.e2e import npm
from tests.e2e.clients.conftest import served
from tests.e2e.clients.person import Person

SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
PROGRAM = "@modelcontextprotocol/conformance/dist/index.js"
HERE = Path(__file__).parent
PORT = 8898  # of the suite's own callback
COLOURS = re.compile(r"\x1b\[\d+m")

pytestmark = pytest.mark.one_database


@pytest.fixture(scope="module")
def fixtures(bank_data, tmp_path_factory):
    """A server with the suite's tools, to which everybody is the demo bank's owner."""
    folder = tmp_path_factory.mktemp("conformance") / "data"
    with served(bank_data, folder, "tests.e2e.clients.conformance_web") as server:
        yield server


@pytest.fixture
def documents_bank(bank_data, tmp_path):
    """A server that offers to look up metadata documents: the suite asks about that, too."""
    with served(bank_data, tmp_path / "data", CLIENT_DOCUMENTS="on") as server:
        yield server


@pytest.fixture
def documents_owner(documents_bank):
    facts = documents_bank.facts
    person = Person(facts["BASE_URL"], facts["OWNER_EMAIL"], facts["OWNER_PASSWORD"])
    yield person
    person.close()


def command(*arguments):
    return [npm.node(), str(npm.modules(SUITE) / PROGRAM), *arguments]


@pytest.mark.parametrize(
    ("version", "passed", "failed"), [("2025-11-25", 57, 10), ("2026-07-28", 128, 47)]
)
def test_what_a_version_requires(fixtures, tmp_path, version, passed, failed):
    done = subprocess.run(
        command(
            *("server", "--url", fixtures.facts["MCP_URL"], "--requirements", version),
            *("--expected-failures", str(HERE / f"conformance-{version}.yml")),
        ),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )

    said = COLOURS.sub("", done.stdout + done.stderr)
    assert done.returncode == 0, said[said.find("=== SUMMARY") :]
    assert f"Total: {passed} passed, {failed} failed" in said, said[-900:]  # as docs/mcp.md tells


def test_the_authorization_server(documents_bank, documents_owner, tmp_path):
    bank, owner = documents_bank, documents_owner
    callback = f"http://127.0.0.1:{PORT}/callback"
    metadata = {"client_name": "Suite", "redirect_uris": [callback]}
    client = httpx2.post(
        f"{owner.origin}/register", json={**metadata, "token_endpoint_auth_method": "none"}
    ).json()["client_id"]
    arguments = command(
        *("authorization", "--url", owner.origin, "--client-id", client, "--port", str(PORT)),
        *("--resource", bank.facts["MCP_URL"]),
    )

    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(arguments, text=True, cwd=tmp_path, **pipes) as suite:
        try:
            said = ""
            for line in suite.stdout:
                said += line
                if line.startswith(f"{owner.origin}/authorize?"):
                    httpx2.get(owner.visit(line.strip()))
            status = suite.wait(60)
        finally:
            suite.kill()

    assert status == 0, said
    assert "Total: 3 passed, 0 failed" in said

"""Clients of other makers that sign in through a browser and need no model for it.

Each prints an address and waits, on a port of its own or at its terminal, for the answer that the
bank sends the browser to. Decision 0130 has the clients that could not be run.
"""

import json
import re
import subprocess
from pathlib import Path

import httpx2
import pytest

from tests.e2e import npm, pypi
from tests.e2e.clients import terminal

AI_SDK = "@ai-sdk/mcp@2.0.99"
FASTMCP = "fastmcp==4.1.6"
FAST_AGENT = ("fast-agent-mcp==0.10.48", "keyrings.alt==5.0.2")
GEMINI = "@google/gemini-cli@0.61.0"
MCPORTER = "mcporter@0.12.3"
MCP_REMOTE = "mcp-remote@0.15.1"
NEXT = "@modelcontextprotocol/client@2.4.0"
OPENCODE = "opencode-ai@1.18.33"
HERE = Path(__file__).parent
SIGN_IN = re.compile(r"http://[\w.:]+/authorize\?[\w%&=+.~-]+")

pytestmark = pytest.mark.one_database


@pytest.fixture
def sign_in(tmp_path, owner):
    """Run a program's sign-in, have the owner answer its page, and return what it printed.

    `listens` is what the program prints once it waits on a port; without it, it waits for a line.
    """

    def answered(*command, pattern=SIGN_IN, listens=None, **more):
        with terminal.started([str(part) for part in command], home=tmp_path, **more) as program:
            address = SIGN_IN.search(program.wait_for(pattern)[0])[0]
            if listens:
                program.wait_for(re.compile(listens))
                assert httpx2.get(owner.visit(address)).status_code == 200
            else:
                program.type(f"{owner.visit(address)}\r")
            return program.finish()

    return answered


@pytest.mark.parametrize("package", [AI_SDK, NEXT])
def test_libraries_sign_in(bank, owner, sign_in, package):
    modules, name = npm.modules(package), package.rpartition("@")[0]

    script = HERE / "library_sign_in.mjs"
    printed = sign_in(npm.node(), script, modules, name, bank.facts["MCP_URL"])

    assert f"Read for {owner.email}" in printed


def test_mcp_remote_signs_in(bank, sign_in):
    client = npm.modules(MCP_REMOTE) / "mcp-remote" / "dist" / "client.js"

    printed = sign_in(
        *(npm.node(), client, bank.facts["MCP_URL"], "--transport", "http-only"),
        listens="Please authorize this client",
    )

    assert "svc_get_account_summary" in printed


def test_mcporter_signs_in(bank, sign_in, tmp_path):
    cli = npm.modules(MCPORTER) / "mcporter" / "dist" / "cli.js"
    target = ("--http-url", bank.facts["MCP_URL"], "--allow-http")

    sign_in(
        *(npm.node(), cli, "auth", *target, "--no-browser"),
        listens="Waiting for browser approval",
    )
    listed = subprocess.run(
        [npm.node(), cli, "list", *target, "--json"],
        env=terminal.environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=terminal.TIMEOUT_SECONDS,
        check=True,
    )

    assert "svc_get_account_summary" in listed.stdout


def test_gemini_cli_signs_in(bank, owner, sign_in):
    bundles = npm.modules(GEMINI) / "@google" / "gemini-cli" / "bundle"
    bundle = next(
        path for path in bundles.glob("core-*.js") if "MCPOAuthProvider" in path.read_text()
    )

    printed = sign_in(
        *(npm.node(), HERE / "gemini_sign_in.mjs", bundle, bank.facts["MCP_URL"]),
        listens="copy the COMPLETE URL",
    )

    assert f"Read for {owner.email}" in printed


def test_opencode_signs_in(bank, sign_in, tmp_path):
    server = {"type": "remote", "url": bank.facts["MCP_URL"], "enabled": True}
    (tmp_path / "opencode.json").write_text(json.dumps({"mcp": {"bank": server}}))

    printed = sign_in(
        *(npm.native(OPENCODE, "opencode"), "mcp", "auth", "bank"),
        listens="Waiting for authorization",
    )

    assert "Authentication successful!" in printed


def test_fastmcp_signs_in(bank, sign_in):
    program = pypi.program("fastmcp", FASTMCP)

    printed = sign_in(
        *(program, "list", bank.facts["MCP_URL"], "--auth", "oauth"),
        pattern=re.compile(rf"VISIT {SIGN_IN.pattern}"),
        listens="VISIT",
        BROWSER="echo VISIT %s",  # which Python's `webbrowser` runs; the log breaks the address
    )

    assert "svc_get_account_summary" in printed


def test_fast_agent_signs_in(bank, sign_in):
    program = pypi.program("fast-agent", *FAST_AGENT, python="3.13")

    printed = sign_in(
        *(program, "auth", "mcp", "login", "--endpoint", bank.facts["MCP_URL"]),
        listens="Waiting for OAuth callback",
        TERM="xterm",  # a dumb terminal would be 80 characters wide and break the address
        PYTHON_KEYRING_BACKEND="keyrings.alt.file.PlaintextKeyring",
    )

    assert "Authenticated. Stored MCP credential" in printed

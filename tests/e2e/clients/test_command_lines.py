"""Claude Code and Codex, which sign in from their command lines without a model.

Both would rather be known by a metadata document on the internet. They register themselves where
the server does not offer that, as it does where it cannot read such documents.
"""

import re
import subprocess

import pytest

from tests.e2e import npm
from tests.e2e.clients import terminal

CLAUDE = "@anthropic-ai/claude-code@2.1.330"
CODEX = "@openai/codex@0.169.0"
SIGN_IN = re.compile(r"http://[\w.:]+/authorize\?[\w%&=+.~-]+")
PASTE = re.compile(r"Or paste the redirect URL here: |Callback URL \(input hidden\): ")

pytestmark = pytest.mark.one_database


@pytest.fixture
def run(tmp_path):
    """Run a program to its end, and return what it printed."""

    def to_its_end(*command):
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env=terminal.environment(tmp_path),
            capture_output=True,
            text=True,
            timeout=terminal.TIMEOUT_SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return to_its_end


@pytest.fixture
def sign_in(tmp_path):
    """Run a program's sign-in, have a person answer its page, and return what it printed."""

    def answered_by(person, *command):
        with terminal.started(command, home=tmp_path) as program:
            address = program.wait_for(SIGN_IN)[0]
            program.wait_for(PASTE)
            program.type(f"{person.visit(address)}\r")
            return program.finish()

    return answered_by


def test_claude_code_signs_in(bank, owner, run, sign_in):
    claude = str(npm.native(CLAUDE, "claude"))
    run(claude, "mcp", "add", "--transport", "http", "bank", bank.facts["MCP_URL"])

    printed = sign_in(owner, claude, "mcp", "login", "--no-browser", "bank")

    assert 'Authenticated with "bank"' in printed
    assert "Connected" in run(claude, "mcp", "get", "bank")


def test_codex_signs_in(bank, owner, sign_in):
    codex = str(npm.native(CODEX, "codex"))
    url = f'mcp_servers.bank.url="{bank.facts["MCP_URL"]}"'

    printed = sign_in(owner, codex, "mcp", "login", "--no-browser", "-c", url, "bank")

    assert "Successfully logged in to MCP server 'bank'." in printed

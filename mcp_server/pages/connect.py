"""How to set up the well-known assistants with this server's address."""

import json
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

NAME = "vestibule"
LOOPBACK = {"127.0.0.1", "localhost", "::1"}
Text = str | Promise


@dataclass(frozen=True)
class Snippet:
    """A text to copy, and its label."""

    title: Text
    text: str


@dataclass(frozen=True)
class Setup:
    """How one client is set up; `needs_internet` if its maker's computers do the calling."""

    slug: str
    name: str
    steps: list[Text]
    snippets: list[Snippet]
    needs_internet: bool = False


@require_safe
def connect(request: HttpRequest) -> HttpResponse:
    """Show how to connect each client; for anybody."""
    url = settings.MCP_URL
    context = {
        "url": url,
        "setups": setups(url),
        "is_local": urlsplit(url).hostname in LOOPBACK,
    }
    return render(request, "mcp_server/connect.html", context)


def setups(url: str) -> list[Setup]:
    """Return the set-up of each client, the best known first."""
    return [*_chats(url), _terminal(url), *_editors(url), *_tools(url), *_programs(url)]


def _chats(url: str) -> list[Setup]:
    address = Snippet(_("Address"), url)
    return [
        Setup(
            "claude",
            "Claude",
            [
                _("Open Settings, then Connectors, and choose “Add custom connector”."),
                _("Give it a name and paste the address."),
                _("Choose “Connect”, sign in here, and allow what it may read."),
            ],
            [address],
            needs_internet=True,
        ),
        Setup(
            "chatgpt",
            "ChatGPT",
            [
                _("Open Settings, then Apps & Connectors, and switch on Developer mode there."),
                _("Choose “Create”, paste the address, and pick OAuth as authentication."),
                _("Sign in here, allow what it may read, and pick the connector in a new chat."),
            ],
            [address],
            needs_internet=True,
        ),
    ]


def _terminal(url: str) -> Setup:
    return Setup(
        "claude-code",
        "Claude Code",
        [
            _("Type this in a terminal."),
            _("Start Claude Code, type /mcp, choose the server and sign in here."),
        ],
        [Snippet(_("In a terminal"), f"claude mcp add --transport http {NAME} {url}")],
    )


def _editors(url: str) -> list[Setup]:
    return [
        Setup(
            "cursor",
            "Cursor",
            [
                _("Open Cursor Settings, then Tools & MCP, and choose “New MCP Server”."),
                _("Put this into the file that opens, and save it."),
                _("Choose “Connect” beside the new server and sign in here."),
            ],
            [Snippet("~/.cursor/mcp.json", _json({"mcpServers": {NAME: {"url": url}}}))],
        ),
        Setup(
            "vscode",
            "VS Code",
            [
                _("Save this file in your project, or run “MCP: Add Server” and choose HTTP."),
                _("Choose “Start” above the server's name and sign in here."),
                _("Ask in the chat's agent mode."),
            ],
            [Snippet(".vscode/mcp.json", _json({"servers": {NAME: {"type": "http", "url": url}}}))],
        ),
    ]


def _tools(url: str) -> list[Setup]:
    bridge = {"command": "npx", "args": ["-y", "mcp-remote", url]}
    return [
        Setup(
            "inspector",
            "MCP Inspector",
            [
                _("Start it in a terminal; it needs Node.js."),
                _("Choose “Streamable HTTP” as transport, and paste the address as URL."),
                _("Choose “Connect” and sign in here."),
            ],
            [
                Snippet(_("In a terminal"), "npx @modelcontextprotocol/inspector"),
                Snippet(_("Address"), url),
            ],
        ),
        Setup(
            "mcp-remote",
            "mcp-remote",
            [
                _("It stands between this server and programs that start servers themselves."),
                _("Put this into the program's list of servers, and start the program anew."),
                _("Your browser opens: sign in here and allow what it may read."),
            ],
            [Snippet("claude_desktop_config.json", _json({"mcpServers": {NAME: bridge}}))],
        ),
    ]


def _programs(url: str) -> list[Setup]:
    return [
        Setup(
            "python",
            "Python SDK",
            [
                _("Install the SDK and save the program."),
                _("Run it: your browser opens. Sign in, and it lists the tools."),
            ],
            [
                Snippet(_("In a terminal"), 'pip install "mcp>=2.3"'),
                Snippet("assistant.py", _file("python.txt", url)),
            ],
        ),
        Setup(
            "typescript",
            "TypeScript SDK",
            [
                _("Install the SDK and save the program."),
                _("Run it, open the address that it prints, and sign in: it lists the tools."),
            ],
            [
                Snippet(_("In a terminal"), "npm install @modelcontextprotocol/sdk"),
                Snippet("assistant.mjs", _file("typescript.txt", url)),
            ],
        ),
    ]


def _json(value: object) -> str:
    return json.dumps(value, indent=2)


def _file(name: str, url: str) -> str:
    return render_to_string(f"mcp_server/snippets/{name}", {"url": url}).strip()

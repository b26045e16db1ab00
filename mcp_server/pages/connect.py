"""Setup instructions for the well-known assistants, with this server's address."""

import json
from base64 import b64encode
from dataclasses import dataclass
from urllib.parse import quote, urlencode, urlsplit

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
    """The setup instructions for a client.

    `needs_internet` means that servers of its maker call this server, at a public address only.
    `link` opens the client, which asks its user whether to add the server.
    """

    slug: str
    name: str
    steps: list[Text]
    snippets: list[Snippet]
    needs_internet: bool = False
    link: str = ""


@require_safe
def connect(request: HttpRequest) -> HttpResponse:
    """Show how to connect each AI assistant or program to this server; needs no sign-in."""
    url = settings.MCP_URL
    context = {
        "url": url,
        "setups": setups(url),
        "is_local": urlsplit(url).hostname in LOOPBACK,
    }
    return render(request, "mcp_server/connect.html", context)


def setups(url: str) -> list[Setup]:
    """Return the set-up of each client, the best known first."""
    address = Snippet(_("Address"), url)
    bridge = {"command": "npx", "args": ["-y", "mcp-remote", url]}
    return [
        Setup(
            "claude",
            "Claude",
            [
                _("Open Settings, then Connectors, and choose “Add custom connector”."),
                _("Enter a name and paste the address."),
                _("Choose “Connect”, sign in here, and choose what the assistant can read."),
            ],
            [address],
            needs_internet=True,
        ),
        Setup(
            "chatgpt",
            "ChatGPT",
            [
                _("Open Settings, then Apps & Connectors, and turn on developer mode."),
                _("Choose “Create”, paste the address, and choose OAuth for authentication."),
                _(
                    "Sign in here, choose what the assistant can read, and select the connector "
                    "in a new chat."
                ),
            ],
            [address],
            needs_internet=True,
        ),
        Setup(
            "claude-code",
            "Claude Code",
            [
                _("Run this command in a terminal."),
                _("Start Claude Code, type /mcp, choose the server, and sign in here."),
            ],
            [Snippet(_("In a terminal"), f"claude mcp add --transport http {NAME} {url}")],
        ),
        Setup(
            "cursor",
            "Cursor",
            [
                _("Open Cursor Settings, then Tools & MCP, and choose “New MCP Server”."),
                _("Paste this into the file that opens, and save the file."),
                _("Choose “Connect” next to the new server, and sign in here."),
            ],
            [Snippet("~/.cursor/mcp.json", _json({"mcpServers": {NAME: {"url": url}}}))],
            link=_cursor_link(url),
        ),
        Setup(
            "vscode",
            "VS Code",
            [
                _("Save this file in your project, or run “MCP: Add Server” and choose HTTP."),
                _("Choose “Start” above the server's name, and sign in here."),
                _("Ask your questions in the chat, in agent mode."),
            ],
            [Snippet(".vscode/mcp.json", _json({"servers": {NAME: {"type": "http", "url": url}}}))],
            link=_vscode_link(url),
        ),
        Setup(
            "inspector",
            "MCP Inspector",
            [
                _("Start it in a terminal. You need Node.js."),
                _("Choose “Streamable HTTP” as the transport, and paste the address as the URL."),
                _("Choose “Connect”, and sign in here."),
            ],
            [Snippet(_("In a terminal"), "npx @modelcontextprotocol/inspector"), address],
        ),
        Setup(
            "mcp-remote",
            "mcp-remote",
            [
                _(
                    "Use mcp-remote with desktop programs that can connect only to servers on "
                    "your own computer."
                ),
                _("Add this to the program's list of servers, and restart the program."),
                _("Your browser opens. Sign in here, and choose what the assistant can read."),
            ],
            [Snippet("claude_desktop_config.json", _json({"mcpServers": {NAME: bridge}}))],
        ),
        Setup(
            "python",
            "Python SDK",
            [
                _("Install the SDK and save the program."),
                _(
                    "Run the program. Your browser opens. After you sign in, the program lists "
                    "the tools."
                ),
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
                _(
                    "Run the program, and open the address that it shows. After you sign in, "
                    "the program lists the tools."
                ),
            ],
            [
                Snippet(_("In a terminal"), "npm install @modelcontextprotocol/sdk"),
                Snippet("assistant.mjs", _file("typescript.txt", url)),
            ],
        ),
    ]


def _cursor_link(url: str) -> str:
    """Return the link that adds this server to Cursor (https://cursor.com/docs/mcp/install-links)."""
    config = b64encode(json.dumps({"url": url}).encode()).decode()
    query = urlencode({"name": NAME, "config": config})
    return f"cursor://anysphere.cursor-deeplink/mcp/install?{query}"


def _vscode_link(url: str) -> str:
    """Return the link that adds this server to VS Code."""
    return f"vscode:mcp/install?{quote(json.dumps({'name': NAME, 'type': 'http', 'url': url}))}"


def _json(value: object) -> str:
    return json.dumps(value, indent=2)


def _file(name: str, url: str) -> str:
    return render_to_string(f"mcp_server/snippets/{name}", {"url": url}).strip()

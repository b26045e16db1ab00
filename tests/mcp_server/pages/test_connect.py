"""How to connect: the page, and the snippets on it."""

import ast
import html
import json
import re
import shutil
import subprocess
from base64 import b64decode
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from django.test import Client
from django.urls import reverse

from mcp_server.pages.connect import setups
from tests.e2e.browsing import require
from tests.factories import make_accountant, make_business_owner, make_user

URL = "https://bank.example.com/mcp"
CLIENTS = [
    "Claude", "ChatGPT", "Claude Code", "Cursor", "VS Code", "MCP Inspector", "mcp-remote",
    "Python SDK", "TypeScript SDK",
]  # fmt: skip


@pytest.fixture
def snippets():
    return {one.slug: [snippet.text for snippet in one.snippets] for one in setups(URL)}


def test_anybody_may_read_it(db, settings):
    answer = Client().get("/connect")
    text = answer.content.decode()

    assert answer.status_code == 200
    for name in CLIENTS:
        assert f">{name}</h2>" in text
    assert settings.MCP_URL in text


def test_each_client_has_steps_and_something_to_copy():
    for setup in setups(URL):
        assert setup.steps
        assert setup.snippets


@pytest.mark.parametrize(
    ("slug", "expected"),
    [
        ("cursor", {"mcpServers": {"vestibule": {"url": URL}}}),
        ("vscode", {"servers": {"vestibule": {"type": "http", "url": URL}}}),
        (
            "mcp-remote",
            {"mcpServers": {"vestibule": {"command": "npx", "args": ["-y", "mcp-remote", URL]}}},
        ),
    ],
)
def test_the_json_names_this_server(snippets, slug, expected):
    assert json.loads(snippets[slug][0]) == expected


def test_every_client_is_told_the_address(snippets):
    assert all(any(URL in text for text in texts) for texts in snippets.values())


def test_the_python_program_is_python(snippets):
    ast.parse(snippets["python"][1])


def test_the_typescript_program_is_javascript(snippets, tmp_path):
    node = shutil.which("node")
    if node is None:
        require("there is no node to ask")
    file = tmp_path / "assistant.mjs"
    file.write_text(snippets["typescript"][1])

    done = subprocess.run([node, "--check", file], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr


def test_the_page_shows_programs_as_they_are(db, snippets, settings):
    settings.MCP_URL = URL
    text = Client().get("/connect").content.decode()

    shown = [html.unescape(found) for found in re.findall(r"<pre[^>]*>(.*?)</pre>", text, re.S)]

    assert snippets["python"][1] in shown
    assert snippets["typescript"][1] in shown


@pytest.mark.parametrize(("url", "warned"), [(URL, False), ("http://127.0.0.1:8000/mcp", True)])
def test_an_address_of_this_computer_is_pointed_out(db, settings, url, warned):
    settings.MCP_URL = url

    assert ("works only on this computer" in Client().get("/connect").content.decode()) is warned


def test_copy_buttons_wait_for_their_script(db):
    text = Client().get("/connect").content.decode()

    assert text.count(" hidden data-copy=") == text.count("<pre")
    assert 'src="/static/mcp_server/copy.js"' in text


def test_cursor_and_vs_code_are_opened_by_a_link():
    links = {one.slug: urlsplit(one.link) for one in setups(URL) if one.link}
    cursor = parse_qs(links["cursor"].query)
    vscode = json.loads(unquote(links["vscode"].query))

    assert set(links) == {"cursor", "vscode"}
    assert links["cursor"].scheme == "cursor"
    assert (links["cursor"].netloc, links["cursor"].path) == (
        "anysphere.cursor-deeplink",
        "/mcp/install",
    )
    assert cursor["name"] == ["vestibule"]
    assert json.loads(b64decode(cursor["config"][0])) == {"url": URL}
    assert (links["vscode"].scheme, links["vscode"].path) == ("vscode", "mcp/install")
    assert vscode == {"name": "vestibule", "type": "http", "url": URL}


def test_the_page_has_the_links(db):
    page = Client().get("/connect").content.decode()

    assert 'href="cursor://anysphere.cursor-deeplink/mcp/install?name=vestibule&amp;config=' in page
    assert 'href="vscode:mcp/install?%7B' in page
    assert ">Add to Cursor</a>" in page


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"role": "UBO", "sign_in_role": "PARTNER"}, "the profile and the statements of your"),
        ({"role": "UBO", "sign_in_role": "PARTNER_FULL_ACCESS"}, "invoices, bills, cards"),
        ({"role": "PRIMARY_OWNER"}, "invoices, bills, cards"),
    ],
)
def test_the_page_promises_an_owner_no_more_than_the_owner_sees(db, values, text):
    user = make_user()
    make_business_owner(user=user, **values)
    client = Client()
    client.force_login(user)

    assert text in client.get("/connect").content.decode()
    promised = (
        "your balances, bills or taxes"
        in client.get(reverse("connected_assistants")).content.decode()
    )
    assert promised is ("bills" in text)


def test_the_page_promises_an_accountant_the_data_of_clients(db):
    client = Client()
    client.force_login(make_accountant().user)

    assert "the data of your clients" in client.get("/connect").content.decode()

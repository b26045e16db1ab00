"""The SDK's own Python client, from its first call without a token to its last."""

import json
import sqlite3
import time
from contextlib import AsyncExitStack, closing
from urllib.parse import urlsplit

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.auth import OAuthClientProvider, OAuthFlowError
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

from mcp_server.registry import offered
from mcp_server.scopes import Scope
from tests.e2e.clients.person import CALLBACK, query_of

EVERYTHING = [scope.value for scope in Scope if scope != Scope.CLIENTS]  # that an owner has
FOUND = [  # what a client without anything does, and what it is answered
    ("POST", "/mcp", 401),
    ("GET", "/.well-known/oauth-protected-resource/mcp", 200),
    ("GET", "/.well-known/oauth-authorization-server", 200),
    ("POST", "/register", 201),
    ("POST", "/token", 200),
    ("POST", "/mcp", 200),
]

pytestmark = pytest.mark.one_database


class Undiscovered(httpx2.AsyncHTTPTransport):
    """A network on which no metadata is to be found."""

    async def handle_async_request(self, request):
        if request.url.path.startswith("/.well-known/"):
            return httpx2.Response(404, request=request)
        return await super().handle_async_request(request)


class Assistant:
    """A client, what it keeps, and the person it belongs to."""

    def __init__(self, person, name, *, mode="auto", transport=None):
        self.person, self.name, self.mode, self.transport = person, name, mode, transport
        self.tokens = self.client = self.answer = None
        self.heard = []  # method, path and status of each call
        metadata = OAuthClientMetadata(
            client_name=name, redirect_uris=[CALLBACK], token_endpoint_auth_method="none"
        )
        self.authorization = OAuthClientProvider(
            f"{person.origin}/mcp", metadata, self, self.open_browser, self.come_back
        )

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client

    async def open_browser(self, address):
        self.sent = query_of(address)
        self.answer = query_of(self.person.visit(address))

    async def come_back(self):
        return AuthorizationCodeResult(**{"code": "", **self.answer})

    async def hear(self, response):
        path = urlsplit(str(response.request.url)).path
        self.heard.append((response.request.method, path, response.status_code))

    async def connect(self, stack):
        """Return the client, connected."""
        http = httpx2.AsyncClient(
            auth=self.authorization,
            timeout=60,
            event_hooks={"response": [self.hear]},
            transport=self.transport,
        )
        await stack.enter_async_context(http)
        transport = streamable_http_client(f"{self.person.origin}/mcp", http_client=http)
        return await stack.enter_async_context(Client(transport, mode=self.mode))

    def run(self, use):
        """Return what `use` makes of the connected client."""

        async def within():
            async with AsyncExitStack() as stack:
                return await use(await self.connect(stack))

        return anyio.run(within)


class OldAssistant(Assistant):
    """A client of 2025-03-26: it discovers no metadata, and heard of no issuer."""

    def __init__(self, person, name):
        super().__init__(person, name, mode="legacy", transport=Undiscovered())

    async def come_back(self):
        return AuthorizationCodeResult(code=self.answer["code"], state=self.answer["state"])


async def ask_who(client):
    return (await client.call_tool("svc_get_current_user", {})).structured_content


def refused(assistant, use):
    """Run until the flow fails, which comes in groups in groups."""
    with pytest.raises((OAuthFlowError, BaseExceptionGroup)) as refusal:
        assistant.run(use)
    error = refusal.value
    while isinstance(error, BaseExceptionGroup):
        (error,) = error.exceptions
    if not isinstance(error, OAuthFlowError):
        raise error


@pytest.mark.parametrize(("mode", "version"), [("auto", "2026-07-28"), ("legacy", "2025-11-25")])
def test_it_finds_its_way_in_alone(owner, mode, version):
    assistant = Assistant(owner, f"Newcomer {mode}", mode=mode)

    async def use(client):
        listed = (await client.list_tools()).tools
        return client.protocol_version, [tool.name for tool in listed], await ask_who(client)

    spoken, names, user = assistant.run(use)

    assert assistant.heard[: len(FOUND)] == FOUND
    assert assistant.sent["resource"] == f"{owner.origin}/mcp"
    assert assistant.answer["iss"] == owner.origin
    assert owner.asked_for == [EVERYTHING]
    assert assistant.tokens.scope.split() == EVERYTHING
    assert spoken == version
    assert names == [tool.name for tool in offered(to_accountants=False)]
    assert user["email"] == owner.email


def test_an_accountants_assistant_has_the_accountants_tools(accountant):
    async def use(client):
        listed = (await client.list_tools()).tools
        clients = (await client.call_tool("list_customers", {})).structured_content["customers"]
        return [tool.name for tool in listed], clients

    names, clients = Assistant(accountant, "Bookkeeping").run(use)

    assert accountant.asked_for == [list(Scope.values)]
    assert names == [tool.name for tool in offered(to_accountants=True)]
    assert len(clients) > 20


def test_a_client_of_2025_03_26_finds_the_default_endpoints(owner, monkeypatch):
    monkeypatch.setattr("mcp.client.session.LATEST_HANDSHAKE_VERSION", "2025-03-26")
    assistant = OldAssistant(owner, "Old")

    async def use(client):
        answer = await client.call_tool("svc_get_current_user", {})
        return client.protocol_version, json.loads(answer.content[0].text)

    version, user = assistant.run(use)

    known = [one for one in assistant.heard if "well-known" not in one[1]]
    assert known[:3] == [("POST", "/mcp", 401), ("POST", "/register", 201), ("POST", "/token", 200)]
    assert "resource" not in assistant.sent
    assert version == "2025-03-26"
    assert user["email"] == owner.email


def test_it_refreshes_without_asking_again(owner, bank):
    assistant = Assistant(owner, "Lasting")

    async def use(client):
        await ask_who(client)
        before, already = assistant.tokens, len(assistant.heard)
        expire(bank, assistant.client.client_id)
        assistant.authorization.context.token_expiry_time = time.time() - 1
        return before, already, await ask_who(client)

    before, already, user = assistant.run(use)

    assert assistant.heard[already:] == [("POST", "/token", 200), ("POST", "/mcp", 200)]
    assert assistant.tokens.access_token != before.access_token
    assert assistant.tokens.refresh_token != before.refresh_token
    assert len(owner.asked_for) == 1
    assert user["email"] == owner.email


def test_it_asks_for_more_when_a_tool_needs_it(owner):
    assistant = Assistant(owner, "Modest")
    owner.grants = ["accounts:read", "profile:read"]

    async def use(client):
        summary = await client.call_tool("svc_get_account_summary", {})
        few = assistant.tokens.scope
        owner.grants = None
        already = len(assistant.heard)
        cards = await client.call_tool("svc_list_cards", {})
        return summary, few, already, cards

    summary, few, already, cards = assistant.run(use)

    assert few == "accounts:read profile:read"
    assert not summary.is_error
    assert assistant.heard[already][2] == 403
    assert {"accounts:read", "cards:read", "profile:read"} <= set(assistant.sent["scope"].split())
    assert len(owner.asked_for) == 2
    assert "cards:read" in assistant.tokens.scope
    assert cards.structured_content["cards"]


def test_it_learns_that_it_was_denied(owner):
    assistant = Assistant(owner, "Unwanted")
    owner.allows = False

    refused(assistant, ask_who)

    assert assistant.answer["error"] == "access_denied"
    assert assistant.answer["state"] == assistant.sent["state"]
    assert assistant.answer["iss"] == owner.origin
    assert "code" not in assistant.answer
    assert assistant.tokens is None


def test_it_loses_access_when_the_person_ends_it(owner):
    assistant = Assistant(owner, "Leaving")

    async def use(client):
        await ask_who(client)
        owner.end_access("Leaving")
        owner.allows = False
        assistant.heard.clear()
        await ask_who(client)

    refused(assistant, use)
    body = {
        "grant_type": "refresh_token",
        "refresh_token": assistant.tokens.refresh_token,
        "client_id": assistant.client.client_id,
    }
    answer = owner.browser.post("/token", data=body)

    assert assistant.heard[0] == ("POST", "/mcp", 401)
    assert len(owner.asked_for) == 2
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")


def expire(bank, client_id):
    """Let the access tokens of a client run out."""
    with closing(sqlite3.connect(bank.data / "vestibule.sqlite3", timeout=20)) as database:
        database.execute(
            "UPDATE oauth2_provider_accesstoken SET expires = datetime('now', '-1 minute') WHERE"
            " application_id = (SELECT id FROM oauth2_provider_application WHERE client_id = ?)",
            [client_id],
        )
        database.commit()

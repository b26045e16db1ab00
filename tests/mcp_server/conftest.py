"""Assistants for tests: they call tools as any client does, over HTTP with a bearer token."""

import json
import secrets
from dataclasses import dataclass
from datetime import timedelta

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone
from oauth2_provider.models import AccessToken, Application

from banking import tasks
from banking.services import jobs
from mcp_server.models import Connection
from mcp_server.registry import TOOLS
from mcp_server.scopes import Scope
from tests import factories

LATEST = "2025-11-25"


@dataclass
class Assistant:
    """An assistant that a user connected."""

    token: str
    connection: Connection

    def post(self, body, *, version=LATEST, **headers):
        """Return the HTTP response to a body; None as a header leaves it out."""
        sent = {"authorization": f"Bearer {self.token}", "mcp-protocol-version": version}
        kept = {name: value for name, value in {**sent, **headers}.items() if value is not None}
        data = body if isinstance(body, (str, bytes)) else json.dumps(body)
        return Client(headers=kept).post("/mcp", data, content_type="application/json")

    def ask(self, method, params=None, **kwargs):
        """Return the JSON-RPC answer to one request."""
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
        return self.post(body, **kwargs).json()

    def result(self, tool, **arguments):
        """Return the whole result of a tool call."""
        assert tool in TOOLS, f"Write {tool} as a function under @tool in mcp_server/tools/."
        return self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]

    def call(self, tool, **arguments):
        """Return the JSON object that a tool answers, its errors included."""
        result = self.result(tool, **arguments)
        text, content = json.loads(result["content"][0]["text"]), result["structuredContent"]
        if content.get("base64"):  # a file is not in the text
            assert text.pop("base64") is None
            assert text.pop("remark")
            text = {"base64": content["base64"], **text}
        assert text == content
        assert result["isError"] is ("error" in result["structuredContent"])
        return result["structuredContent"]

    def refusal(self, tool, **arguments):
        """Return code and message of a tool's error."""
        error = self.call(tool, **arguments)["error"]
        return error["code"], error["message"]


def connect(user, *, scopes=Scope.values, client_name="Assistant", **values):
    """Return an assistant that holds a token of the user."""
    client = Application.objects.create(
        name=client_name,
        client_type=Application.CLIENT_PUBLIC,
        authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
        redirect_uris="https://assistant.example.com/callback",
    )
    now = timezone.now()
    connection = Connection.objects.create(
        user=user,
        application=client,
        client_name=client.name,
        client_host="assistant.example.com",
        created_at=now,
    )
    token = secrets.token_urlsafe(24)
    facts = {
        "user": user,
        "application": client,
        "token": token,
        "scope": " ".join(scopes),
        "expires": now + timedelta(hours=1),
        "resource": [settings.MCP_URL],
    }
    AccessToken.objects.create(**{**facts, **values})
    return Assistant(token, connection)


@pytest.fixture(autouse=True)
def worker(monkeypatch):
    """Have what was requested done while somebody waits, as a worker would."""
    monkeypatch.setattr(jobs, "pause", lambda _seconds: tasks.dispatch())


@pytest.fixture
def make_assistant(db):
    return connect


@pytest.fixture
def business(db):
    return factories.make_business()


@pytest.fixture
def owner(business):
    """The user who signs in for the business."""
    user = factories.make_user(first_name="Maya", last_name="Baker")
    factories.make_business_owner(business, user=user)
    return user


@pytest.fixture
def assistant(owner):
    """The business owner's assistant, everything granted."""
    return connect(owner)


@pytest.fixture
def accountant(db):
    return factories.make_accountant()


@pytest.fixture
def accountants_assistant(accountant, business):
    """The assistant of an accountant who has access to the business."""
    factories.make_access(accountant, business)
    return connect(accountant.user)

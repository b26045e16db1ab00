"""Clients that sign in as assistants do: by forms and redirects, without a browser."""

import base64
import hashlib
import json
import secrets
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

import pytest
from django.conf import settings
from django.test import Client
from oauth2_provider.models import Application

from tests import factories

CALLBACK = "https://assistant.example.com/callback"


def query_of(location):
    """Return the parameters an answer was sent with."""
    return {name: values[0] for name, values in parse_qs(urlsplit(location).query).items()}


def make_client(**values):
    """Return a registered public client."""
    values = {
        "name": "Helpful",
        "redirect_uris": CALLBACK,
        "client_type": Application.CLIENT_PUBLIC,
        "authorization_grant_type": Application.GRANT_AUTHORIZATION_CODE,
        "registration_source": Application.RegistrationSource.DCR,
        **values,
    }
    return Application.objects.create(**values)


@dataclass
class Flow:
    """One client that asks one user for access."""

    user: object
    client: Application
    redirect_uri: str = CALLBACK
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(32))

    def __post_init__(self):
        self.browser = Client()
        if self.user:
            self.browser.force_login(self.user, "django.contrib.auth.backends.ModelBackend")

    def query(self, **values):
        """Return the parameters of a request; None leaves one out."""
        digest = hashlib.sha256(self.verifier.encode()).digest()
        values = {
            "response_type": "code",
            "client_id": self.client.client_id,
            "redirect_uri": self.redirect_uri,
            "state": "some state",
            "scope": "accounts:read cards:read",
            "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
            "resource": settings.MCP_URL,
            **values,
        }
        return {name: value for name, value in values.items() if value is not None}

    def ask(self, **values):
        """Return the consent page, or what came in its place."""
        return self.browser.get("/authorize", self.query(**values))

    def decide(self, *scopes, allow="Allow", posted=None, **values):
        """Return where the browser is sent after the form."""
        body = {"scopes": scopes, "allow": allow, **(posted or {})}
        return self.browser.post("/authorize", body, query_params=self.query(**values))

    def code(self, *scopes, **values):
        """Return the code for what the user granted."""
        response = self.decide(*(scopes or ["accounts:read"]), **values)
        return query_of(response["Location"])["code"]

    def exchange(self, code, **values):
        """Return the token endpoint's answer to a code."""
        body = {
            "grant_type": "authorization_code",
            "code": code,
            "client_id": self.client.client_id,
            "redirect_uri": self.redirect_uri,
            "code_verifier": self.verifier,
            **values,
        }
        return post("/token", body)

    def refresh(self, token, **values):
        """Return the token endpoint's answer to a refresh token."""
        client_id = self.client.client_id
        body = {"grant_type": "refresh_token", "refresh_token": token, "client_id": client_id}
        return post("/token", {**body, **values})

    def tokens(self, *scopes):
        """Return the tokens for what the user granted."""
        return self.exchange(self.code(*scopes)).json()


def post(path, body):
    """Post a form as a client does, without cookies; None leaves a parameter out."""
    body = {name: value for name, value in body.items() if value is not None}
    return Client().post(path, body)


def post_json(path, body, **kwargs):
    return Client().post(path, json.dumps(body), content_type="application/json", **kwargs)


@pytest.fixture
def make_flow(db):
    def make(user=None, client=None, **values):
        return Flow(user or factories.make_user(), client or make_client(), **values)

    return make


@pytest.fixture
def flow(make_flow):
    return make_flow()

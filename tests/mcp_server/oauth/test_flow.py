"""The whole way of an assistant: from its first call without a token to its last one."""

import re
from urllib.parse import urlsplit

import pytest
from django.test import Client
from oauth2_provider.models import Application

from mcp_server.models import Connection
from mcp_server.queries.connections import State, list_assistants
from mcp_server.services import connections
from tests.factories import make_business, make_business_owner, make_user
from tests.mcp_server.oauth.conftest import CALLBACK, Flow, make_client, post, post_json


def call(token, method="ping", **params):
    """Call the tool server with a token, or without one."""
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    headers = {"authorization": f"Bearer {token}"} if token else {}
    return post_json("/mcp", body, headers=headers)


def path_of(url):
    assert url.startswith("http://testserver/")
    return urlsplit(url).path


def test_from_the_first_call_to_the_last(db, django_assert_max_num_queries):
    user = make_user()
    make_business_owner(make_business(), user=user)

    challenge = call(None)
    assert challenge.status_code == 401
    url = re.search('resource_metadata="([^"]+)"', challenge["WWW-Authenticate"]).group(1)
    resource = Client().get(path_of(url)).json()
    assert resource["resource"] == "http://testserver/mcp"
    (issuer,) = resource["authorization_servers"]
    server = Client().get(path_of(f"{issuer}/.well-known/oauth-authorization-server")).json()
    assert server["issuer"] == issuer

    registered = post_json(
        path_of(server["registration_endpoint"]),
        {
            "client_name": "Helpful",
            "redirect_uris": ["http://127.0.0.1:4711/callback"],
            "token_endpoint_auth_method": "none",
            "scope": " ".join(resource["scopes_supported"]),
        },
    ).json()
    client = Application.objects.get(client_id=registered["client_id"])
    flow = Flow(user, client, redirect_uri="http://127.0.0.1:50123/callback")
    page = flow.ask(scope=" ".join(resource["scopes_supported"]))
    assert page.status_code == 200

    code = flow.code("cards:read", scope=" ".join(resource["scopes_supported"]))
    tokens = flow.exchange(code).json()
    assert tokens["scope"] == "cards:read"
    assert call(tokens["access_token"]).status_code == 200

    missing = call(tokens["access_token"], "tools/call", name="svc_get_tax_bucket", arguments={})
    assert missing.status_code == 403
    assert 'scope="cards:read tax:read"' in missing["WWW-Authenticate"]
    stepped = flow.exchange(flow.code("cards:read", "tax:read", scope="cards:read tax:read")).json()
    assert stepped["scope"] == "cards:read tax:read"

    renewed = flow.refresh(stepped["refresh_token"]).json()
    assert call(stepped["access_token"]).status_code == 401
    assert call(renewed["access_token"]).status_code == 200

    post("/revoke", {"token": tokens["refresh_token"], "client_id": client.client_id})
    post("/revoke", {"token": renewed["refresh_token"], "client_id": client.client_id})
    assert call(renewed["access_token"]).status_code == 401
    assert call(tokens["access_token"]).status_code == 401
    (shown,) = list_assistants(user, at=Connection.objects.get().ended_at)
    assert shown.state == State.ENDED


def test_whoever_ends_a_connection_is_obeyed_at_once(flow):
    tokens = flow.tokens()
    assert call(tokens["access_token"]).status_code == 200

    connections.end(Connection.objects.get(), at=Connection.objects.get().created_at)

    assert call(tokens["access_token"]).status_code == 401
    assert flow.refresh(tokens["refresh_token"]).status_code == 400


def test_the_connection_tells_where_the_answer_went(make_flow):
    client = make_client(redirect_uris=f"https://claude.ai/callback {CALLBACK}")
    flow = make_flow(client=client, redirect_uri=CALLBACK)

    flow.tokens()

    assert Connection.objects.get().client_host == "assistant.example.com"


def test_a_consent_to_less_ends_the_wider_tokens(flow):
    wide = flow.tokens("accounts:read", "cards:read")

    narrow = flow.tokens("cards:read")

    assert call(wide["access_token"]).status_code == 401
    assert flow.refresh(wide["refresh_token"]).status_code == 400
    assert call(narrow["access_token"]).status_code == 200
    assert flow.refresh(narrow["refresh_token"]).status_code == 200


@pytest.mark.parametrize("use", ["refresh_token", "code", "registration"])
def test_nothing_but_an_access_token_reads(flow, use):
    code, tokens = flow.code(), flow.tokens()
    registered = post_json("/register", {"redirect_uris": ["https://a.example.com/"]}).json()
    others = {**tokens, "code": code, "registration": registered["registration_access_token"]}

    assert call(others[use]).status_code == 401

"""A refused client learns where to get a token, and for which scopes."""

import json

from django.test import RequestFactory

from mcp_server.oauth.challenges import scopes_wanted, token_wanted
from mcp_server.scopes import Scope

METADATA = 'resource_metadata="http://testserver/.well-known/oauth-protected-resource/mcp"'


def test_without_a_token_it_is_told_where_to_get_one():
    response = token_wanted(RequestFactory(headers={"host": "localhost"}).post("/mcp"))

    assert response.status_code == 401
    assert response["WWW-Authenticate"] == (
        f'Bearer realm="mcp",scope="{" ".join(Scope.values)}",{METADATA}'
    )


def test_with_a_bad_token_it_is_told_why():
    response = token_wanted(RequestFactory().post("/mcp"), problem="The token has expired.")

    challenge = response["WWW-Authenticate"]
    assert challenge.startswith('Bearer realm="mcp",error="invalid_token",error_description="The ')
    assert METADATA in challenge


def test_with_too_few_scopes_it_is_told_which_to_ask_for():
    response = scopes_wanted(
        RequestFactory().post("/mcp"), ["tax:read"], granted=["cards:read", "accounts:read"]
    )

    assert response.status_code == 403
    assert 'error="insufficient_scope"' in response["WWW-Authenticate"]
    assert 'scope="accounts:read cards:read tax:read"' in response["WWW-Authenticate"]
    assert json.loads(response.content)["error"] == {
        "code": "ACCESS_DENIED",
        "message": "The user did not grant tax:read.",
        "httpStatus": 403,
    }

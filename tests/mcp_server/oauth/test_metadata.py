"""What clients read before they sign in."""

import pytest
from django.conf import settings

from mcp_server.scopes import Scope

SERVER = "/.well-known/oauth-authorization-server"
RESOURCE = "/.well-known/oauth-protected-resource"


def test_the_server_says_where_and_how_to_sign_in(client):
    response = client.get(SERVER)

    assert response.json() == {
        "issuer": "http://testserver",
        "authorization_endpoint": "http://testserver/authorize",
        "token_endpoint": "http://testserver/token",
        "revocation_endpoint": "http://testserver/revoke",
        "registration_endpoint": "http://testserver/register",
        "scopes_supported": sorted(Scope.values),
        "response_types_supported": ["code"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": [
            "none",
            "client_secret_post",
            "client_secret_basic",
        ],
        "revocation_endpoint_auth_methods_supported": [
            "none",
            "client_secret_post",
            "client_secret_basic",
        ],
        "authorization_response_iss_parameter_supported": True,
        "client_id_metadata_document_supported": True,
    }
    assert response["Cache-Control"] == "public, max-age=300"


@pytest.mark.parametrize("path", [RESOURCE, f"{RESOURCE}/mcp"])
def test_the_resource_names_its_server_and_scopes(client, path):
    response = client.get(path)

    assert response.json() == {
        "resource": settings.MCP_URL,
        "resource_name": settings.BANK_NAME,
        "authorization_servers": ["http://testserver"],
        "scopes_supported": Scope.values,
        "bearer_methods_supported": ["header"],
    }
    assert response["Cache-Control"] == "public, max-age=3600"


@pytest.mark.parametrize("path", [f"{SERVER}/mcp", f"{RESOURCE}/other", f"{RESOURCE}/mcp/more"])
def test_another_issuer_or_resource_has_no_metadata(client, path):
    response = client.get(path)

    assert response.status_code == 404


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_the_host_header_changes_nothing(client, host):
    response = client.get(SERVER, headers={"host": host})

    assert response.json()["issuer"] == settings.BASE_URL


@pytest.mark.parametrize("path", ["/introspect", "/o/applications/", "/applications/", "/device"])
def test_the_toolkits_other_pages_are_not_there(client, path):
    assert client.get(path).status_code == 404

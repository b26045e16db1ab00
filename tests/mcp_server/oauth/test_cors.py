"""Which web pages may call."""

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from mcp_server.oauth.cors import cross_origin, is_origin_listed

PAGE = "https://inspector.example.com"
OPEN = [
    ("/token", "POST"),
    ("/revoke", "POST"),
    ("/register", "POST"),
    ("/register/some-client", "PUT"),
    ("/.well-known/oauth-authorization-server", "GET"),
    ("/.well-known/oauth-protected-resource/mcp", "GET"),
]


def preflight(client, path, method):
    return client.options(
        path,
        headers={
            "origin": PAGE,
            "access-control-request-method": method,
            "access-control-request-headers": "content-type, mcp-protocol-version",
        },
    )


@pytest.mark.parametrize(("path", "method"), OPEN)
def test_any_page_may_sign_in(client, path, method):
    response = preflight(client, path, method)

    assert response.status_code == 204
    assert response["Access-Control-Allow-Origin"] == "*"
    assert method in response["Access-Control-Allow-Methods"]
    assert response["Access-Control-Allow-Headers"] == "content-type, mcp-protocol-version"
    assert "Access-Control-Allow-Credentials" not in response


def test_a_page_may_read_the_answer_and_its_challenge(client, db):
    response = client.post("/token", {}, headers={"origin": PAGE})

    assert response.status_code == 400
    assert response["Access-Control-Allow-Origin"] == "*"
    assert "WWW-Authenticate" in response["Access-Control-Expose-Headers"]


def test_the_consent_page_is_no_other_pages_business(client, db):
    response = preflight(client, "/authorize", "GET")

    assert "Access-Control-Allow-Origin" not in response


@pytest.fixture
def listed(settings):
    settings.MCP_ALLOWED_ORIGINS = [PAGE]
    return cross_origin("POST", listed=True)(lambda _request: HttpResponse("answer"))


def test_a_listed_page_may_call_the_tools(listed):
    request = RequestFactory(headers={"origin": PAGE}).post("/mcp")

    response = listed(request)

    assert response["Access-Control-Allow-Origin"] == PAGE
    assert response["Vary"] == "Origin"


def test_another_page_may_not(listed):
    request = RequestFactory(headers={"origin": "https://evil.example.com"}).options(
        "/mcp", headers={"access-control-request-method": "POST"}
    )

    response = listed(request)

    assert "Access-Control-Allow-Origin" not in response
    assert "Access-Control-Allow-Methods" not in response
    assert not is_origin_listed(request)


def test_no_page_at_all_is_fine(listed):
    request = RequestFactory().post("/mcp")

    response = listed(request)

    assert response.content == b"answer"
    assert is_origin_listed(request)

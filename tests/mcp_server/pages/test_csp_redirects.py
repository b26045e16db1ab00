"""Where the answer of a form before the authorization endpoint may lead."""

from urllib.parse import urlencode

import pytest
from django.test import Client

from mcp_server.pages.csp_redirects import client_of


def path_to(uri):
    return f"/authorize?{urlencode({'client_id': 'a', 'redirect_uri': uri})}"


@pytest.mark.parametrize(
    ("uri", "source"),
    [
        ("https://claude.ai/callback", "https://claude.ai"),
        ("http://127.0.0.1:8765/callback", "http://127.0.0.1:8765"),
        ("https://buddy.example.com/callback", None),
        ("https://claude.ai.example.com/callback", None),
        ("https://claude.ai;script-src */callback", None),
        ("http://127.0.0.1:80;script-src */callback", None),
        ("http://[::1/callback", None),
        ("javascript:alert(1)", None),
        ("", None),
    ],
)
def test_only_clients_we_send_browsers_to_unasked(uri, source):
    assert client_of(path_to(uri)) == source


def test_user_names_never_reach_the_policy():
    assert client_of(path_to("http://a;script-src *@127.0.0.1/")) in {None, "http://127.0.0.1"}


@pytest.mark.parametrize(
    ("uri", "is_allowed"),
    [("https://claude.ai/callback", True), ("https://buddy.example.com/callback", False)],
)
def test_the_policy_of_the_sign_in_page_says_so(db, uri, is_allowed):
    answer = Client().get("/sign-in", {"next": path_to(uri)})

    (form_action,) = [
        part for part in answer["Content-Security-Policy"].split("; ") if "form-action" in part
    ]
    assert form_action == "form-action 'self'" + (" https://claude.ai" if is_allowed else "")

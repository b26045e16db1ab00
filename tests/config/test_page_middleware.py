"""What programs call has no session, no CSRF token and no CSP; all pages have them."""

import pytest
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import reverse

from config import page_middleware, settings


def answered(path):
    """Send a request through the middleware of sessions; say whether it made one."""
    seen = []
    middleware = page_middleware.session(lambda request: seen.append(request) or HttpResponse())
    middleware(RequestFactory().get(path))
    return hasattr(seen[0], "session")


@pytest.mark.parametrize(
    "path",
    [
        "/service/api/v1/lead", "/service/api/v1/lead/x/upload", "/mcp", "/healthz", "/readyz",
        "/status",
    ],
)  # fmt: skip
def test_programs_get_no_session(path):
    assert not answered(path)


@pytest.mark.parametrize(
    "path",
    [
        "/", "/admin/", "/sign-in", "/authorize", "/connected-assistants", "/apply/x",
        "/service/api/v1/docs", "/service/api", "/mcp/", "/mcp/x", "/mcpx", "/healthz/x",
        "//mcp", "/x/mcp", "/x/service/api/v1/lead",
    ],
)  # fmt: skip
def test_pages_do(path):
    assert answered(path)


@pytest.mark.parametrize("name", ["session", "csrf", "authentication", "otp", "messages", "csp"])
def test_each_is_in_its_place(name):
    assert f"config.page_middleware.{name}" in settings.MIDDLEWARE


def test_a_form_without_its_token_is_refused(db):
    answer = Client(enforce_csrf_checks=True).post(reverse("sign_in"), {"username": "a"})

    assert answer.status_code == 403


def test_pages_have_a_policy_and_calls_have_none(client):
    assert "Content-Security-Policy" in client.get(reverse("lead_api:docs"))
    assert "Content-Security-Policy" not in client.get("/healthz")

"""What programs call has no session, no CSRF token and no CSP; all pages have them."""

import pytest
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import reverse

from config import page_middleware, settings
from tests.factories import make_user


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


@pytest.mark.parametrize(
    "path",
    [
        "/", "/admin/", "/admin/login/", "/sign-in", "/authorize", "/connect", "/nowhere",
        "/connected-assistants", "/password-reset", "/second-factor", "/apply/x",
        "/connect/v1/frame/x", "/connect/v1/connect.js", "/service/api/v1/docs",
    ],
)  # fmt: skip
def test_pages_may_use_passkeys_and_no_other_feature_of_the_device(client, db, path):
    policy = client.get(path)["Permissions-Policy"].split(", ")

    assert [rule for rule in policy if not rule.endswith("=()")] == [
        "publickey-credentials-create=(self)",
        "publickey-credentials-get=(self)",
    ]
    assert {"camera=()", "geolocation=()", "microphone=()", "payment=()", "usb=()"} < {*policy}


@pytest.mark.parametrize("is_staff", [False, True])
@pytest.mark.parametrize(
    "path",
    [
        "/", "/sign-in", "/account", "/second-factor", "/password", "/connected-assistants",
        "/authorize", "/admin/", "/admin/banking/user/", "/apply/x", "/nowhere",
    ],
)  # fmt: skip
def test_no_other_site_shows_a_page_in_a_frame(client, db, path, is_staff):
    of_staff = {"user_type": "STAFF", "is_superuser": True}
    client.force_login(make_user(**(of_staff if is_staff else {})))

    answer = client.get(path, follow=True)

    assert answer["Content-Type"].startswith("text/html")
    assert "frame-ancestors 'self'" in answer["Content-Security-Policy"]
    assert answer["X-Frame-Options"] == "SAMEORIGIN"


def test_a_refused_form_and_a_redirect_to_https_have_the_policy_too(client, db, settings):
    refused = Client(enforce_csrf_checks=True).post(reverse("sign_in"), {"username": "a"})
    settings.SECURE_SSL_REDIRECT = True
    redirected = Client().get("/sign-in")

    assert (refused.status_code, redirected.status_code) == (403, 301)
    assert "Permissions-Policy" in refused
    assert "Permissions-Policy" in redirected


def test_pages_have_a_policy_and_calls_let_browsers_do_nothing(client, db):
    nothing = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    assert "default-src 'self'" in client.get(reverse("lead_api:docs"))["Content-Security-Policy"]
    for path in ("/healthz", "/mcp", "/service/api/v1/lead", "/service/api/v1/nowhere"):
        assert client.get(path)["Content-Security-Policy"] == nothing


@pytest.mark.parametrize(
    "path",
    [
        "/service/api/v1/lead", "/service/api/nowhere", "/mcp", "/token", "/revoke", "/register",
        "/register/x", "/connect/v1/frame/x",
    ],
)  # fmt: skip
def test_programs_are_refused_over_plain_http(client, db, settings, path):
    settings.SECURE_SSL_REDIRECT = True

    answer = client.get(path)

    assert answer.status_code == 400
    assert "Location" not in answer
    assert client.get(path, secure=True).status_code != 400


@pytest.mark.parametrize("path", ["/sign-in", "/service/api/v1/docs", "/apply/x", "/connect"])
def test_pages_are_redirected_to_https(client, db, settings, path):
    settings.SECURE_SSL_REDIRECT = True

    assert client.get(path).status_code == 301

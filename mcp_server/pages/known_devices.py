"""Known devices: a cookie for each account that has signed in on a browser."""

import hashlib
import secrets
from collections.abc import Callable, Mapping
from datetime import timedelta
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from banking.models import User
from mcp_server.pages.base_page import signed_in
from mcp_server.pages.paths import SIGN_IN_STEP
from mcp_server.pages.second_factor_middleware import owes_a_code, owes_a_second_factor
from mcp_server.services import sign_in_attempts, sign_in_notices

LIFETIME = timedelta(days=365)
SALT = "mcp_server.known_device"


class KnownDeviceMiddleware:
    """Remember a browser after a sign-in, so that guesses from elsewhere do not delay its user.

    A right password is no sign-in while the second factor is missing. Failed sign-ins, with a
    wrong password or a wrong code, are reported to the user.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.method == "POST" and SIGN_IN_STEP.match(request.path_info):
            if response.status_code != HTTPStatus.FOUND or not request.user.is_authenticated:
                if email := getattr(request, "counted_email", ""):
                    sign_in_notices.report_failure(email, at=timezone.now())
            elif not (owes_a_code(request) or owes_a_second_factor(request)):
                _remember(request, response)
        return response


def count_failure(request: HttpRequest, email: str) -> None:
    """Mark a request as an attempt to sign in to an account.

    If the response does not sign in, the middleware reports it as failed.
    """
    request.counted_email = email  # type: ignore[attr-defined]  # for the middleware


def device_of(request: HttpRequest, email: str) -> str:
    """Return the id of a browser that has signed in to an account; empty for any other."""
    found = request.get_signed_cookie(
        _name(email), default="", salt=SALT, max_age=int(LIFETIME.total_seconds())
    )
    return str(found)


def is_known(request: HttpRequest, credentials: Mapping[str, Any] | None) -> bool:
    """Return whether a browser has signed in to the account that a sign-in names.

    django-axes counts no failures of such a browser: failed sign-ins from the same network, such as
    an office, would lock its user out.
    """
    return bool(device_of(request, attempted_email(request, credentials)))


def attempted_email(request: HttpRequest, credentials: Mapping[str, Any] | None) -> str:
    """Return the email of a sign-in attempt in lower case, under which failures are counted.

    django-axes names the email by the user's field, Django's forms and signals name it `username`.
    """
    sent = credentials or request.POST
    return str(sent.get(User.USERNAME_FIELD) or sent.get("username") or "").strip().lower()


def _remember(request: HttpRequest, response: HttpResponse) -> None:
    email = signed_in(request).email
    device = device_of(request, email)
    sign_in_attempts.forget(email, device=device)
    sign_in_notices.forget(email)
    response.set_signed_cookie(
        _name(email),
        device or secrets.token_urlsafe(16),
        salt=SALT,
        max_age=LIFETIME,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _name(email: str) -> str:
    """Return the name of an account's cookie, which does not show the email."""
    digest = hashlib.sha256(email.strip().lower().encode()).hexdigest()
    return f"{settings.COOKIE_PREFIX}device_{digest[:16]}"

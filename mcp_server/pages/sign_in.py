"""Signing in and out."""

import math
from datetime import datetime, timedelta
from typing import Any

from axes.models import AccessAttempt
from django import forms
from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import resolve_url
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from banking.models import User
from foundation.throttling import rate_limits
from mcp_server.oauth import clients
from mcp_server.pages import known_devices
from mcp_server.pages.base_page import too_many
from mcp_server.pages.csp_redirects import ClientRedirectMixin
from mcp_server.services import sign_in_attempts

CLEAR_PAGES = '"cache", "storage"'


class SignInForm(AuthenticationForm):
    """An email address and a password."""

    username = forms.EmailField(
        label=_("Email address"),
        widget=forms.EmailInput(attrs={"autocomplete": "username", "autofocus": True}),
    )
    error_messages = {
        "invalid_login": _("The email address or password is incorrect."),
        "inactive": _("The email address or password is incorrect."),
    }


class SignIn(ClientRedirectMixin, LoginView):
    """Ask for email and password; a second factor is asked for on the next page."""

    authentication_form = SignInForm
    template_name = "mcp_server/sign_in.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(
            asking=clients.identify_asking(self.get_redirect_url()), **kwargs
        )

    def get_default_redirect_url(self) -> str:
        user = self.request.user
        is_staff = isinstance(user, User) and user.is_staff
        return resolve_url("admin:index" if is_staff else "account")


class SignOut(LogoutView):
    """End the session; with `next`, go on there, for example as somebody else.

    The response makes the browser forget its pages, which Back would otherwise show.
    """

    next_page = "sign_in"

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = super().post(request, *args, **kwargs)
        response["Clear-Site-Data"] = CLEAR_PAGES
        return response


class AttemptLimitBackend:
    """An authentication backend that signs nobody in, but refuses sign-ins after too many attempts.

    django-axes counts the failures of one account from one address. This backend counts every
    attempt from a network at any account, and then every attempt at the account from any address,
    before a password is hashed. Raises: PermissionDenied, for `locked_out`.
    """

    def authenticate(
        self, request: HttpRequest, username: str | None = None, password: str | None = None
    ) -> None:
        network = rate_limits.network_of(request.META["REMOTE_ADDR"])
        allowance = {f"sign-ins:{network}": settings.SIGN_INS_PER_MINUTE}
        try:
            rate_limits.spend(allowance, at=timezone.now())
        except rate_limits.RateLimited as exc:
            request.sign_ins_usage = exc.usage  # type: ignore[attr-defined]  # for `locked_out`
            request.axes_locked_out = True  # type: ignore[attr-defined]  # so axes answers by it
            raise PermissionDenied from exc
        email = username or ""
        device = known_devices.device_of(request, email)
        try:
            sign_in_attempts.record(email, device=device, at=timezone.now())
        except sign_in_attempts.TooSoon as exc:
            request.delayed_until = exc.until  # type: ignore[attr-defined]  # for `locked_out`
            request.axes_locked_out = True  # type: ignore[attr-defined]  # so axes answers by it
            raise PermissionDenied from exc
        known_devices.count_failure(request, email)


def locked_out(
    request: HttpRequest, _response: HttpResponse | None, credentials: dict[str, Any] | None
) -> HttpResponse:
    """Return a page of status 429 with the end of the refusal of sign-ins, and advice.

    The reason of the refusal is too many attempts from a network, the delay of an account after
    failures, or a lock of django-axes.
    """
    if usage := getattr(request, "sign_ins_usage", None):
        seconds = usage.reset_seconds
        context = {"seconds": seconds}
        return too_many(request, "mcp_server/too_many_sign_ins.html", context, seconds=seconds)
    if until := getattr(request, "delayed_until", None):
        return _locked(request, until)
    attempts = AccessAttempt.objects.filter(
        username=known_devices.attempted_email(request, credentials),
        ip_address=request.axes_ip_address,  # type: ignore[attr-defined]  # set by axes
    )
    last = attempts.order_by("-attempt_time").values_list("attempt_time", flat=True).first()
    return _locked(request, (last or timezone.now()) + settings.AXES_COOLOFF_TIME)


def _locked(request: HttpRequest, until: datetime) -> HttpResponse:
    now = timezone.now()
    wait = max(until - now, timedelta(seconds=1))
    context = {"until": now + wait, "minutes": math.ceil(wait / timedelta(minutes=1))}
    seconds = math.ceil(wait.total_seconds())
    return too_many(request, "mcp_server/locked_out.html", context, seconds=seconds)

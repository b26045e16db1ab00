"""The middleware that keeps users at the sign-in pages until they give their second factor."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from mcp_server.pages.paths import ENROLMENT, WITHOUT_CODE
from mcp_server.services import second_factor

GetResponse = Callable[[HttpRequest], HttpResponse]


class SecondFactorMiddleware:
    """Keep users with a second factor at the sign-in pages until they give it.

    Users who need a second factor and have none reach only the pages that enrol it.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if WITHOUT_CODE.match(request.path_info):
            return self.get_response(request)
        if owes_a_code(request):
            after = urlencode({"next": request.get_full_path()})
            return HttpResponseRedirect(f"{reverse('sign_in_code')}?{after}")
        if owes_a_second_factor(request) and not ENROLMENT.fullmatch(request.path_info):
            return HttpResponseRedirect(enrolment_page(request))
        return self.get_response(request)


def enrolment_page(request: HttpRequest) -> str:
    """Return the address of the page that enrols a second factor; a GET's own page is `next`."""
    after = {"next": request.get_full_path()} if request.method == "GET" else {}
    return f"{reverse('second_factor')}{'?' if after else ''}{urlencode(after)}"


def owes_a_code(request: HttpRequest) -> bool:
    """Return whether the user gave a password, but not yet the second factor."""
    user = request.user
    return user.is_authenticated and not _has_given(user) and second_factor.is_on(user)


def owes_a_second_factor(request: HttpRequest) -> bool:
    """Return whether the user needs a second factor and has none.

    Assumes that `owes_a_code` was checked: a user with a second factor has given it.
    """
    user = request.user
    return user.is_authenticated and second_factor.is_required(user) and not _has_given(user)


def _has_given(user: Any) -> bool:
    """Return whether the session was verified. A user who has just signed in has no device yet."""
    return getattr(user, "otp_device", None) is not None

"""The end of sessions some hours after the sign-in, headers against caches, and times of writes."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django.utils.translation import gettext as _

from foundation.throttling import recent_writes
from mcp_server.pages.paths import NO_SESSION
from mcp_server.pages.second_factor_middleware import GetResponse

SAFE = ("GET", "HEAD", "OPTIONS")
SIGNED_IN_AT = "signed_in_at"  # in the session: seconds since 1970


class SessionLifetimeMiddleware:
    """Sign users out SESSION_LIFETIME after they signed in, and keep their pages out of caches.

    Records the time of a user's writes, so that the user's next reads do not go to a stale replica.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if NO_SESSION.match(request.path_info) or not request.user.is_authenticated:
            return self.get_response(request)
        now = timezone.now().timestamp()
        if now - request.session.setdefault(SIGNED_IN_AT, now) > _longest():
            logout(request)  # the view then asks to sign in
            text = _("You were signed out because you signed in more than %(hours)d hours ago.")
            messages.warning(request, text % {"hours": _longest() // 3600})
        response = self.get_response(request)
        if request.method not in SAFE and request.user.is_authenticated:
            recent_writes.note_in_session(request.session, at=timezone.now())
            recent_writes.note(f"user:{request.user.pk}", at=timezone.now())
        if not response.has_header("Cache-Control"):
            add_never_cache_headers(response)
        return response


@receiver(user_logged_in)
def begin(request: HttpRequest, **_options: Any) -> None:
    """Store in the session the time of a sign-in, from which SESSION_LIFETIME is counted.

    The session itself may be older.
    """
    request.session[SIGNED_IN_AT] = timezone.now().timestamp()


def _longest() -> float:
    return settings.SESSION_LIFETIME.total_seconds()

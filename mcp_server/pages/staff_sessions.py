"""Sessions of staff: they end when nobody has used them for a while."""

from datetime import timedelta
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from mcp_server.pages.paths import NO_SESSION, SIGN_IN
from mcp_server.pages.second_factor_middleware import GetResponse

LAST_USED = "last_used"  # in the session: when, in seconds since 1970
REMEMBERED_FOR = timedelta(hours=12)  # so that the next page can say what happened


class StaffSessionMiddleware:
    """Sign staff out whose session nobody used for STAFF_SESSION_LIFETIME, and tell them."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if NO_SESSION.match(request.path_info) or not is_of_staff(request):
            return self.get_response(request)
        if not _was_left(request):
            request.session[LAST_USED] = timezone.now().timestamp()
            request.session.set_expiry(int(REMEMBERED_FOR.total_seconds()))
            return self.get_response(request)
        logout(request)
        minutes = settings.STAFF_SESSION_LIFETIME // timedelta(minutes=1)
        text = _("You were signed out because you were inactive for %(minutes)d minutes.")
        messages.warning(request, text % {"minutes": minutes})
        if SIGN_IN.match(request.path_info):
            return self.get_response(request)
        return HttpResponseRedirect(_sign_in_page(request))


def is_of_staff(request: HttpRequest) -> bool:
    """Return whether the session belongs to a member of staff."""
    return bool(request.user.is_authenticated and request.user.is_staff)


def _was_left(request: HttpRequest) -> bool:
    now = timezone.now().timestamp()
    since = now - request.session.get(LAST_USED, now)
    return bool(since > settings.STAFF_SESSION_LIFETIME.total_seconds())


def _sign_in_page(request: HttpRequest) -> str:
    """Return the address of the sign-in page. `next` is a GET's page, else the back office."""
    after = request.get_full_path() if request.method == "GET" else reverse("admin:index")
    return f"{reverse('sign_in')}?{urlencode({'next': after})}"

"""Page middleware: session, sign-in, CSRF and header policies, skipped for API calls.

API calls have no session, so skipping saves CPU time. `process_view` still runs: views that are
not exempt from the CSRF check are checked on every path.
"""

from typing import Any

from axes.middleware import AxesMiddleware
from csp.middleware import CSPMiddleware
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest
from django.middleware.csrf import CsrfViewMiddleware
from django_otp.middleware import OTPMiddleware

from config.middleware import PermissionsPolicyMiddleware
from config.paths import FOR_PROGRAMS


def for_pages(middleware: Any) -> type:
    """Return a subclass of the middleware that skips paths that only programs call."""

    def answer(self: Any, request: HttpRequest) -> Any:
        if FOR_PROGRAMS.match(request.path_info):
            return self.get_response(request)
        return middleware.__call__(self, request)

    return type(f"{middleware.__name__}ForPages", (middleware,), {"__call__": answer})


permissions = for_pages(PermissionsPolicyMiddleware)
session = for_pages(SessionMiddleware)
csrf = for_pages(CsrfViewMiddleware)
authentication = for_pages(AuthenticationMiddleware)
otp = for_pages(OTPMiddleware)
messages = for_pages(MessageMiddleware)
csp = for_pages(CSPMiddleware)
axes = for_pages(AxesMiddleware)

"""Skip the middleware of pages for API calls, which have no session.

Views that are not exempt from the CSRF check are checked here, too. API calls save
the CPU time of this middleware.
"""

import re
from typing import Any

from axes.middleware import AxesMiddleware
from csp.middleware import CSPMiddleware
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest
from django.middleware.csrf import CsrfViewMiddleware
from django_otp.middleware import OTPMiddleware

FOR_PROGRAMS = re.compile(r"/(?:service/api/v1/(?!docs)|(?:mcp|healthz|readyz|status)\Z)")


def for_pages(middleware: Any) -> type:
    """Return the middleware, left out for paths that only programs call."""

    def answer(self: Any, request: HttpRequest) -> Any:
        if FOR_PROGRAMS.match(request.path_info):
            return self.get_response(request)
        return middleware.__call__(self, request)

    return type(f"{middleware.__name__}ForPages", (middleware,), {"__call__": answer})


session = for_pages(SessionMiddleware)
csrf = for_pages(CsrfViewMiddleware)
authentication = for_pages(AuthenticationMiddleware)
otp = for_pages(OTPMiddleware)
messages = for_pages(MessageMiddleware)
csp = for_pages(CSPMiddleware)
axes = for_pages(AxesMiddleware)

"""CORS: which web pages may call from a browser, and which headers they may read."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

from foundation.outbound.loopback import is_loopback

View = Callable[..., Any]
EXPOSED = ", ".join(["WWW-Authenticate", "Mcp-Session-Id", "Retry-After", "X-Request-Id"])
PREFLIGHT_SECONDS = 24 * 60 * 60


def cross_origin(*methods: str, listed: bool = False) -> Callable[[View], View]:
    """Allow cross-origin calls of a view with these methods, and answer their preflights.

    Every origin is allowed, because the view ignores cookies; with `listed`, only the origins in
    `MCP_ALLOWED_ORIGINS`.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            allowed = _allowed_origin(request, listed=listed)
            if is_preflight(request):
                return _preflight(request, allowed, methods)
            return _opened(view(request, *args, **kwargs), allowed)

        return answer

    return decorate


def is_preflight(request: HttpRequest) -> bool:
    """Return whether the request is a CORS preflight."""
    return request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers


def is_origin_listed(request: HttpRequest) -> bool:
    """Return whether the request's Origin is in `MCP_ALLOWED_ORIGINS`, or absent.

    Browsers send an Origin for a web page; programs send none. A sandbox on loopback also lets in
    pages of loopback: a page of another site has its own origin, also after DNS rebinding.
    """
    origin = request.headers.get("Origin")
    if origin is None or origin in settings.MCP_ALLOWED_ORIGINS:
        return True
    return settings.MCP_LOOPBACK_ORIGINS and _is_of_loopback(origin)


def _is_of_loopback(origin: str) -> bool:
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and is_loopback(parts.hostname)


def _allowed_origin(request: HttpRequest, *, listed: bool) -> str:
    """Return the origin to allow: `*` for all, the origin of the request, or empty for none."""
    if not listed:
        return "*"
    return request.headers.get("Origin", "") if is_origin_listed(request) else ""


def _preflight(request: HttpRequest, allowed: str, methods: tuple[str, ...]) -> HttpResponse:
    response = HttpResponse(status=204)
    patch_vary_headers(response, ["Access-Control-Request-Headers"])
    if allowed:
        response["Access-Control-Allow-Methods"] = ", ".join(methods)
        response["Access-Control-Allow-Headers"] = request.headers.get(
            "Access-Control-Request-Headers", "Authorization, Content-Type"
        )
        response["Access-Control-Max-Age"] = str(PREFLIGHT_SECONDS)
    return _opened(response, allowed)


def _opened(response: Any, allowed: str) -> Any:
    if allowed:
        response["Access-Control-Allow-Origin"] = allowed
        response["Access-Control-Expose-Headers"] = EXPOSED
    if allowed != "*":
        patch_vary_headers(response, ["Origin"])
    return response

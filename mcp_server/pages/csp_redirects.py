"""Forms before the authorization endpoint: their answer may send the browser on to a client."""

import re
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

from csp.decorators import csp_update
from django.http import HttpRequest, HttpResponse

from mcp_server.oauth import clients

HOST = re.compile(r"[a-z0-9.-]+")


class ClientRedirectMixin:
    """Add to the CSP of a form's page the client to which the form's answer may lead.

    It is the client whose request for access is in `next`, if `client_of` returns its origin.
    Browsers check each redirect after a form against `form-action`, those of other pages too.
    """

    request: HttpRequest

    def render_to_response(self, context: dict[str, Any], **options: Any) -> HttpResponse:
        response = super().render_to_response(context, **options)  # type: ignore[misc]  # a mixin
        source = client_of(context.get("next") or "")
        if source is None:
            return cast("HttpResponse", response)
        allow = csp_update({"form-action": [source]})
        return cast("HttpResponse", allow(lambda _request: response)(self.request))


def client_of(path: str) -> str | None:
    """Return the origin to which a request for access redirects, from the path of the request.

    Returns None unless browsers may be redirected there without the user's decision.
    """
    uri = parse_qs(urlsplit(path).query).get("redirect_uri", [""])[-1]
    try:
        parts = urlsplit(uri)
        port = f":{parts.port}" if parts.port else ""
        is_trusted = parts.scheme in {"http", "https"} and clients.is_trusted(uri)
    except ValueError:
        return None
    host = parts.hostname or ""
    return f"{parts.scheme}://{host}{port}" if is_trusted and HOST.fullmatch(host) else None

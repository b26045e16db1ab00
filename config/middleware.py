"""Middleware: response headers, log context, client addresses and canonical API paths."""

import contextlib
import ipaddress
import re
import uuid
from collections.abc import Callable, Mapping
from typing import Any

import structlog
from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse

from config import paths
from foundation.throttling.rate_limits import network_of
from foundation.tracing import spans

GetResponse = Callable[[HttpRequest], HttpResponse]
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}  # that HTTP defines
REQUEST_ID = re.compile(r"[A-Za-z0-9._~:/+=@-]{1,128}")
UNKNOWN = "0.0.0.0"  # noqa: S104 - the address of a caller on a Unix socket
UNREAD_MAX_BYTES = 1024**2
NO_CONTENT = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"


class WholeBodyMiddleware:
    """Read the unread rest of a body, so that the client can reuse its connection.

    A server that responds before it has read the body closes the connection without notice, and
    the client's next request on it fails. Bodies longer than UNREAD_MAX_BYTES are not read, nor
    those that a streaming response may read itself.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        length = request.META.get("CONTENT_LENGTH") or "0"
        if not response.streaming and length.isdecimal() and 0 < int(length) <= UNREAD_MAX_BYTES:
            with contextlib.suppress(OSError):  # the caller disconnected
                request.read()
        return response


class RequestIdMiddleware:
    """Add X-Request-Id and API-Version headers. Keeps the request id of the client if valid."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        sent = request.META.get("HTTP_X_REQUEST_ID", "")
        request_id = sent if REQUEST_ID.fullmatch(sent) else str(uuid.uuid4())
        request.META["HTTP_X_REQUEST_ID"] = request_id  # django-structlog reads the id here
        response = self.get_response(request)
        response["X-Request-Id"] = request_id
        response["API-Version"] = settings.API_VERSION
        return response


class PermissionsPolicyMiddleware:
    """Add a Permissions-Policy header: pages use passkeys, and no other feature of the device.

    A form that offers the camera for a file opens a program of the system, which needs no feature.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response["Permissions-Policy"] = settings.PERMISSIONS_POLICY
        return response


class ContentPolicyMiddleware:
    """Let browsers run, load and frame nothing of a response that is no page.

    Pages have a policy of their own, which stays. Other responses are files, error responses and
    answers to programs, which a browser shows only if somebody opens their address.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", NO_CONTENT)
        return response


class PlainHttpMiddleware:
    """Refuse calls of programs over plain HTTP; `SecurityMiddleware` redirects pages to HTTPS.

    A program would follow a redirect unnoticed, and send its secret in clear each time.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        is_plain = settings.SECURE_SSL_REDIRECT and not request.is_secure()
        if is_plain and paths.WITH_SECRETS.match(request.path_info):
            raise BadRequest("Call https://.")
        return self.get_response(request)


class ClientAddressMiddleware:
    """Set `REMOTE_ADDR` to the caller's address; add it and `traceparent` to the log context."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        address = client_address(request.META)
        request.META["REMOTE_ADDR"] = address
        sent = request.META.get("HTTP_TRACEPARENT")
        if traceparent := sent and spans.checked(sent):
            structlog.contextvars.bind_contextvars(ip=address, traceparent=traceparent)
        else:
            structlog.contextvars.bind_contextvars(ip=address)
        return self.get_response(request)


class ApiPathMiddleware:
    """Strip the trailing slash from API paths, so that both forms work without a redirect."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info.startswith(paths.APIS):
            request.path_info = request.path_info.rstrip("/")
            request.path = request.path.rstrip("/")
        return self.get_response(request)


def remote_address(request: HttpRequest) -> str:
    """Return the network by which django-axes counts the failures of a caller."""
    return network_of(request.META.get("REMOTE_ADDR", UNKNOWN))


def client_address(meta: Mapping[str, Any]) -> str:
    """Return the caller's IP address as the outermost trusted proxy saw it.

    Takes `request.META` or a WSGI environ. Returns 0.0.0.0 if no address is known, as on a Unix
    socket.
    """
    seen = [meta.get("REMOTE_ADDR", "")]
    if settings.TRUSTED_PROXIES:
        forwarded = meta.get("HTTP_X_FORWARDED_FOR", "").split(",")
        seen.insert(0, forwarded[-min(settings.TRUSTED_PROXIES, len(forwarded))].strip())
    return next(filter(_is_address, seen), UNKNOWN)


def client_network(environ: Mapping[str, Any]) -> str:
    """Return the network of the caller, by which limits count."""
    return network_of(client_address(environ))


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True

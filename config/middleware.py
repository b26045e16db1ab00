"""Headers of every response, context of every log line, and the canonical API path."""

import contextlib
import ipaddress
import re
import uuid
from collections.abc import Callable

import structlog
from django.conf import settings
from django.http import HttpRequest, HttpResponse

from foundation.throttling.rate_limits import network_of

GetResponse = Callable[[HttpRequest], HttpResponse]
REQUEST_ID = re.compile(r"[A-Za-z0-9._~:/+=@-]{1,128}")
API_ROOT = "/service/api/"
UNKNOWN = "0.0.0.0"  # noqa: S104 - stands for a caller on a Unix socket
UNREAD_MAX_BYTES = 1024**2


class WholeBodyMiddleware:
    """Read the unread rest of a body, so that the client can reuse its connection.

    A server that answers before the body has come closes the connection, and says so to nobody:
    the caller's next request on it is lost. Bodies longer than UNREAD_MAX_BYTES are not worth it.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        length = request.META.get("CONTENT_LENGTH") or "0"
        if length.isdecimal() and 0 < int(length) <= UNREAD_MAX_BYTES:
            with contextlib.suppress(OSError):  # the caller is gone
                request.read()
        return response


class RequestIdMiddleware:
    """Give each request an id, or keep the valid one it came with, and say which API answered."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        sent = request.META.get("HTTP_X_REQUEST_ID", "")
        request_id = sent if REQUEST_ID.fullmatch(sent) else str(uuid.uuid4())
        request.META["HTTP_X_REQUEST_ID"] = request_id  # where django-structlog reads it, too
        response = self.get_response(request)
        response["X-Request-Id"] = request_id
        response["API-Version"] = settings.API_VERSION
        return response


class ClientAddressMiddleware:
    """Let `REMOTE_ADDR` be the caller's address for all that follows, and for the log."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        address = client_address(request)
        request.META["REMOTE_ADDR"] = address
        structlog.contextvars.bind_contextvars(ip=address)
        return self.get_response(request)


class ApiPathMiddleware:
    """Let API paths work with and without their trailing slash, without a redirect."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info.startswith(API_ROOT):
            request.path_info = request.path_info.rstrip("/")
            request.path = request.path.rstrip("/")
        return self.get_response(request)


def remote_address(request: HttpRequest) -> str:
    """Return the address that django-axes counts a caller under."""
    return network_of(request.META.get("REMOTE_ADDR", UNKNOWN))


def client_address(request: HttpRequest) -> str:
    """Return the caller's IP address: the one that the outermost proxy of ours saw."""
    seen = [request.META.get("REMOTE_ADDR", "")]
    if settings.TRUSTED_PROXIES:
        forwarded = request.headers.get("X-Forwarded-For", "").split(",")
        seen.insert(0, forwarded[-min(settings.TRUSTED_PROXIES, len(forwarded))].strip())
    return next(filter(_is_address, seen), UNKNOWN)


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True

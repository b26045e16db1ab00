"""Addresses: where a call comes from, so far as a proxy of ours can tell."""

import ipaddress

from django.conf import settings
from django.http import HttpRequest
from rest_framework.request import Request

UNKNOWN = "0.0.0.0"  # noqa: S104 - stands for a caller on a Unix socket


def client_address(request: HttpRequest | Request) -> str:
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

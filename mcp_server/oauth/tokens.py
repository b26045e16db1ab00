"""Tokens: random ones for a code; those of a refresh follow from the token that was presented.

A client whose answer got lost presents its old refresh token once more. We keep hashes only and
could not repeat the answer, so a successor is a keyed hash of its predecessor: whoever presents
the predecessor again within the grace gets the same pair, which nobody else can compute.
"""

import base64
import secrets

from django.utils.crypto import salted_hmac
from oauthlib.common import Request


def new_access_token(request: Request, *args: object) -> str:
    """Return the access token that the toolkit is to issue."""
    return _token(request, "access")


def new_refresh_token(request: Request, *args: object) -> str:
    """Return the refresh token that the toolkit is to issue."""
    return _token(request, "refresh")


def _token(request: Request, kind: str) -> str:
    predecessor = getattr(request, "refresh_token_instance", None)
    if predecessor is None:
        return secrets.token_urlsafe(32)
    value = f"{predecessor.token_family}:{request.refresh_token}"
    digest = salted_hmac(f"{__name__}.{kind}", value, algorithm="sha256").digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()

"""Make tokens: random for a code, derived from the presented token for a refresh.

A client that lost the response presents its old refresh token again. Only hashes are stored, so the
response cannot be repeated from them: a successor is a keyed hash of its predecessor, and the same
refresh token gives the same pair again within the grace period.
"""

import base64
import secrets

from django.utils.crypto import salted_hmac
from oauthlib.common import Request


def new_access_token(request: Request, *args: object) -> str:
    """Return a new access token: random for a code, derived for a presented refresh token."""
    return _token(request, "access")


def new_refresh_token(request: Request, *args: object) -> str:
    """Return a new refresh token: random for a code, derived for a presented refresh token."""
    return _token(request, "refresh")


def _token(request: Request, kind: str) -> str:
    predecessor = getattr(request, "refresh_token_instance", None)
    if predecessor is None:
        return secrets.token_urlsafe(32)
    value = f"{predecessor.token_family}:{request.refresh_token}"
    digest = salted_hmac(f"{__name__}.{kind}", value, algorithm="sha256").digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()

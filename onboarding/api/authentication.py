"""Authentication: the `Authorization` header `<SCHEME> <ACCESS_KEY>:<SECRET_KEY>`."""

from django.conf import settings
from django.db import DatabaseError
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from foundation.throttling.rate_limits import RateLimited
from onboarding.errors import ErrorCode, Refused
from onboarding.models import ApiKey, BankKey, Partner
from onboarding.services.partners.authentication import authenticate, authenticate_bank


class AuthenticationRequired(Refused):
    """The Authorization header is missing, malformed or of another scheme."""

    code = ErrorCode.AUTHENTICATION_REQUIRED


class ApiKeyAuthentication(BaseAuthentication):
    """Authenticate partners: `request.user` is the Partner, and `request.auth` the ApiKey."""

    def authenticate(self, request: Request) -> tuple[Partner, ApiKey]:
        access_key, secret = read_credentials(request.META.get("HTTP_AUTHORIZATION", ""))
        address = request.META["REMOTE_ADDR"]
        key = authenticate(access_key, secret, address=address, at=timezone.now())
        return key.partner, key


class BankKeyAuthentication(BaseAuthentication):
    """Authenticate systems of the bank: `request.user` and `request.auth` are both the BankKey."""

    def authenticate(self, request: Request) -> tuple[BankKey, BankKey]:
        access_key, secret = read_credentials(request.META.get("HTTP_AUTHORIZATION", ""))
        address = request.META["REMOTE_ADDR"]
        key = authenticate_bank(access_key, secret, address=address, at=timezone.now())
        return key, key


def has_bank_key(header: str, *, address: str) -> bool:
    """Return whether an Authorization header has valid credentials of a system of the bank.

    Wrong credentials are counted as a failed authentication. False, too, if the database fails or
    the address has failed too often.
    """
    try:
        access_key, secret = read_credentials(header)
        authenticate_bank(access_key, secret, address=address, at=timezone.now())
    except (Refused, RateLimited, DatabaseError):
        return False
    return True


def read_credentials(header: str) -> tuple[str, str]:
    """Return access key and secret of an Authorization header. Raises: AuthenticationRequired."""
    scheme, _, pair = header.strip().partition(" ")
    access_key, _, secret = pair.strip().partition(":")
    if scheme.lower() != settings.LEAD_API_SCHEME.lower() or not (access_key and secret):
        raise AuthenticationRequired(scheme=settings.LEAD_API_SCHEME)
    return access_key, secret

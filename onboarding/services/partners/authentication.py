"""Who calls the Lead API: one statement per call, no slow hash, no hint to a guesser."""

import hmac
from contextlib import suppress
from datetime import datetime, timedelta

from django.db import DatabaseError
from django.db.models import Exists

from foundation.database.compiled_queries import CompiledQuery
from foundation.throttling.rate_limits import Usage, network_of
from onboarding.errors import ErrorCode, Refused
from onboarding.models import ApiKey
from onboarding.services.partners import failed_authentications
from onboarding.services.partners.api_keys import environment_tag, secret_digest

LAST_USE_RESOLUTION = timedelta(minutes=1)
KEY = CompiledQuery(
    lambda access_key, address, hold_at, at: (
        ApiKey.objects.select_related("partner")
        .annotate(
            is_address_held=Exists(
                failed_authentications.held_window(subject=address, hold_at=hold_at, at=at)
            )
        )
        .filter(access_key=access_key)
    )
)


class InvalidCredentials(Refused):
    """The access key does not exist or its secret is another; which of the two is not told."""

    code = ErrorCode.INVALID_CREDENTIALS

    def __init__(self, usage: Usage | None = None) -> None:
        self.usage = usage
        super().__init__()


class WrongEnvironment(Refused):
    """The access key is one of the other environment's."""

    code = ErrorCode.WRONG_ENVIRONMENT


class CredentialsExpired(Refused):
    """The access key has outlived its term."""

    code = ErrorCode.CREDENTIALS_EXPIRED


class CredentialsRevoked(Refused):
    """The access key was revoked."""

    code = ErrorCode.CREDENTIALS_REVOKED


class PartnerSuspended(Refused):
    """The partner may not call at present."""

    code = ErrorCode.PARTNER_SUSPENDED


class AddressNotAllowed(Refused):
    """The access key is limited to networks that the caller is not in."""

    code = ErrorCode.IP_NOT_ALLOWED


def authenticate(access_key: str, secret: str, *, address: str, at: datetime) -> ApiKey:
    """Return the access key that the secret opens, its partner with it.

    Wrong credentials count against the address and the key. An address over its limit is refused
    even with right ones; a key is not, else whoever knows it could lock its partner out.
    Raises: RateLimited and the refusals of this module.
    """
    _require_our_environment(access_key)
    network = network_of(address)
    key, is_held = _find(access_key, network=network, at=at)
    if not _matches(key, secret, at=at):
        raise InvalidCredentials(
            failed_authentications.record_failure(address=network, access_key=access_key, at=at)
        )
    if is_held:
        failed_authentications.refuse_held(network, at=at)
    _require_usable(key, address=address, at=at)
    _note_use(key, at=at)
    return key


def _require_our_environment(access_key: str) -> None:
    tag = access_key.removeprefix("ak_").partition("_")[0]
    if tag in {"sb", "live"} and tag != environment_tag():
        raise WrongEnvironment


def _find(access_key: str, *, network: str, at: datetime) -> tuple[ApiKey, bool]:
    """Return the key, and whether the address is held.

    An unknown key is one that no secret matches: it takes the same work as a wrong secret.
    """
    held = {
        "address": failed_authentications.failures_of(network),
        "hold_at": failed_authentications.hold_at(),
        "at": at,
    }
    key = KEY.first(access_key=access_key, **held)
    return (key, key.is_address_held) if key else (ApiKey(secret_digest=""), False)


def _matches(key: ApiKey, secret: str, *, at: datetime) -> bool:
    digest = secret_digest(secret)
    is_current = hmac.compare_digest(digest, key.secret_digest)
    is_previous = hmac.compare_digest(digest, key.previous_digest)
    in_grace = key.previous_expires_at is not None and at < key.previous_expires_at
    return is_current or (is_previous and in_grace)


def _require_usable(key: ApiKey, *, address: str, at: datetime) -> None:
    if key.revoked_at:
        raise CredentialsRevoked
    if key.expires_at <= at:
        raise CredentialsExpired
    if key.partner.suspended_at:
        raise PartnerSuspended
    if not key.admits(address):
        raise AddressNotAllowed


def _note_use(key: ApiKey, *, at: datetime) -> None:
    """Keep the last use to the minute: a write per call would cost more than it tells.

    Where it cannot be written, on a full disk for example, reads go on without it.
    """
    if key.last_used_at is None or at - key.last_used_at >= LAST_USE_RESOLUTION:
        with suppress(DatabaseError):
            ApiKey.objects.filter(pk=key.pk).update(last_used_at=at)

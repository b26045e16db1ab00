"""Authentication: access keys and secrets of calls by programs, read in one statement."""

import hmac
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TypeVar

from django.conf import settings
from django.db import DatabaseError
from django.db.models import Exists, QuerySet

from foundation.database.compiled_queries import CompiledQuery
from foundation.throttling.rate_limits import Usage, latest_end, network_of
from onboarding.errors import ErrorCode, Refused
from onboarding.models import ApiKey, BankKey
from onboarding.models.access_keys import AccessKey
from onboarding.services.partners import failed_authentications
from onboarding.services.partners.api_keys import environment_tag, secret_digest

LAST_USE_RESOLUTION = timedelta(minutes=1)
Key = TypeVar("Key", bound=AccessKey)


def _lookup(keys: QuerySet[Key]) -> CompiledQuery[Key]:
    """Return the query that finds a key, and whether the caller's address has failed too often."""
    return CompiledQuery(
        lambda access_key, address, hold_at, at, latest: keys.annotate(
            is_address_held=Exists(
                failed_authentications.held_window(
                    subject=address, hold_at=hold_at, at=at, latest=latest
                )
            )
        ).filter(access_key=access_key)
    )


PARTNER_KEY = _lookup(ApiKey.objects.select_related("partner"))
BANK_KEY = _lookup(BankKey.objects.all())


class InvalidCredentials(Refused):
    """The access key does not exist or its secret is wrong; the response does not reveal which."""

    code = ErrorCode.INVALID_CREDENTIALS

    def __init__(self, usage: Usage | None = None) -> None:
        self.usage = usage
        super().__init__()


class WrongEnvironment(Refused):
    """The access key belongs to the other environment."""

    code = ErrorCode.WRONG_ENVIRONMENT


class CredentialsExpired(Refused):
    """The access key has expired."""

    code = ErrorCode.CREDENTIALS_EXPIRED


class CredentialsRevoked(Refused):
    """The access key was revoked."""

    code = ErrorCode.CREDENTIALS_REVOKED


class PartnerSuspended(Refused):
    """The partner is suspended."""

    code = ErrorCode.PARTNER_SUSPENDED


class AddressNotAllowed(Refused):
    """The caller's address is outside the networks of the access key."""

    code = ErrorCode.IP_NOT_ALLOWED


def authenticate(access_key: str, secret: str, *, address: str, at: datetime) -> ApiKey:
    """Return the partner's access key that the secret belongs to, with its partner.

    Wrong credentials count against the address and the key. An address over its limit is refused
    even with correct credentials; a key is not, as guesses could then lock its partner out.
    Raises: RateLimited and the refusals of this module.
    """
    key = _authenticate(ApiKey(secret_digest=""), PARTNER_KEY, access_key, secret, address, at)
    if key.partner.suspended_at:
        raise PartnerSuspended
    _require_network(key, address)
    _note_use(key, secret, at=at)
    return key


def authenticate_bank(access_key: str, secret: str, *, address: str, at: datetime) -> BankKey:
    """Return the key of the bank's system that the secret belongs to.

    Counts and refuses as `authenticate`. Raises: RateLimited and the refusals of this module,
    except PartnerSuspended.
    """
    key = _authenticate(BankKey(secret_digest=""), BANK_KEY, access_key, secret, address, at)
    _require_network(key, address)
    _note_use(key, secret, at=at)
    return key


def _authenticate(
    unknown: Key,
    lookup: CompiledQuery[Key],
    access_key: str,
    secret: str,
    address: str,
    at: datetime,
) -> Key:
    """Return the key that the secret belongs to, neither revoked nor expired.

    A wrong secret is counted as a failure of the address and the key. `unknown` stands for a key
    that does not exist: no secret matches it, but comparing one takes the same work.
    Raises: RateLimited, WrongEnvironment, InvalidCredentials, CredentialsRevoked,
    CredentialsExpired.
    """
    _require_our_environment(access_key)
    network = network_of(address)
    key, is_held = _find(unknown, lookup, access_key, network=network, at=at)
    if not _matches(key, secret, at=at):
        raise InvalidCredentials(
            failed_authentications.record_failure(address=network, access_key=access_key, at=at)
        )
    if is_held:
        failed_authentications.refuse_held(network, at=at)
    if key.revoked_at:
        raise CredentialsRevoked
    if key.expires_at <= at:
        raise CredentialsExpired
    return key


def _require_our_environment(access_key: str) -> None:
    tag = access_key.partition("_")[2].partition("_")[0]
    if tag in {"sb", "live"} and tag != environment_tag():
        raise WrongEnvironment


def _find(
    unknown: Key, lookup: CompiledQuery[Key], access_key: str, *, network: str, at: datetime
) -> tuple[Key, bool]:
    """Return the key and whether the address failed too often, or else `unknown` and False."""
    held = {
        "address": failed_authentications.failures_of(network),
        "hold_at": failed_authentications.hold_at(),
        "at": at,
        "latest": latest_end(at),
    }
    key = lookup.first(access_key=access_key, **held)
    return (key, key.is_address_held) if key else (unknown, False)  # type: ignore[attr-defined]  # annotated


def _matches(key: AccessKey, secret: str, *, at: datetime) -> bool:
    in_grace = key.previous_expires_at is not None and at < key.previous_expires_at
    matches = False
    for pepper in (settings.API_KEY_PEPPER, *settings.API_KEY_PEPPER_FALLBACKS):
        digest = secret_digest(secret, pepper)
        is_current = hmac.compare_digest(digest, key.secret_digest)
        is_previous = hmac.compare_digest(digest, key.previous_digest)
        matches = matches or is_current or (is_previous and in_grace)
    return matches


def _require_network(key: AccessKey, address: str) -> None:
    if not key.admits(address):
        raise AddressNotAllowed


def _note_use(key: AccessKey, secret: str, *, at: datetime) -> None:
    """Save the time of the last use, at most once per LAST_USE_RESOLUTION.

    A digest under one of API_KEY_PEPPER_FALLBACKS is replaced by one under API_KEY_PEPPER.
    A database error, on a full disk for example, is ignored, so that reads still work.
    """
    if key.last_used_at is None or at - key.last_used_at >= LAST_USE_RESOLUTION:
        formers = [secret_digest(secret, one) for one in settings.API_KEY_PEPPER_FALLBACKS]
        unchanged = type(key).objects.filter(pk=key.pk, secret_digest=key.secret_digest)
        new = {"secret_digest": secret_digest(secret)} if key.secret_digest in formers else {}
        with suppress(DatabaseError):
            unchanged.update(last_used_at=at, **new)

"""Partners and their access keys: creation, issue, rotation and revocation."""

import hashlib
import hmac
import ipaddress
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction

from onboarding.choices import Permission
from onboarding.models import ApiKey, Partner

LONGEST_GRACE = timedelta(days=7)
LONGEST_LIFETIME = timedelta(days=730)


class KeyNotLive(Exception):
    """The access key was revoked or has expired."""


@dataclass(frozen=True)
class IssuedKey:
    """An access key with its secret in clear; only a digest of the secret is stored."""

    key: ApiKey
    secret: str = field(repr=False)


def create_partner(*, name: str) -> Partner:
    """Register a partner, without an access key."""
    return Partner.objects.create(name=name.strip())


def issue_api_key(
    partner: Partner,
    *,
    at: datetime,
    label: str = "",
    permissions: Iterable[str] = tuple(Permission.values),
    networks: Iterable[str] = (),
    lifetime: timedelta | None = None,
) -> IssuedKey:
    """Issue an access key. Raises: ValueError for an unknown permission or a malformed network."""
    secret = _fresh_secret()
    key = ApiKey.objects.create(
        partner=partner,
        access_key=f"ak_{environment_tag()}_{secrets.token_hex(12)}",
        label=label,
        secret_digest=secret_digest(secret),
        permissions=[Permission(permission).value for permission in permissions],
        networks=[str(ipaddress.ip_network(network)) for network in networks],
        expires_at=at + (lifetime or settings.API_KEY_LIFETIME),
    )
    return IssuedKey(key, secret)


@transaction.atomic
def rotate_api_key(key: ApiKey, *, at: datetime, grace: timedelta | None = None) -> IssuedKey:
    """Give the key a new secret; the old secret stays valid for `grace`, 0 to 7 days.

    A secret still in an earlier grace period ends at once: a key has at most two secrets.
    Raises: KeyNotLive, ValueError for a longer grace.
    """
    grace = settings.SECRET_GRACE if grace is None else grace
    if not timedelta(0) <= grace <= LONGEST_GRACE:
        raise ValueError("A grace period lasts 0 to 7 days.")
    locked = ApiKey.objects.live(at=at).select_for_update(of=("self",)).filter(pk=key.pk).first()
    if locked is None:
        raise KeyNotLive(str(key))
    secret = _fresh_secret()
    locked.previous_digest = locked.secret_digest if grace else ""
    locked.previous_expires_at = at + grace if grace else None
    locked.secret_digest = secret_digest(secret)
    locked.save(update_fields=["previous_digest", "previous_expires_at", "secret_digest"])
    return IssuedKey(locked, secret)


def revoke_api_key(key: ApiKey, *, at: datetime) -> None:
    """Revoke the key now; a key that is revoked already keeps its date."""
    ApiKey.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=at)
    key.refresh_from_db(fields=["revoked_at"])


def secret_digest(secret: str) -> str:
    """Return the keyed hash under which a secret is stored.

    A fast hash suffices: the secret has 256 random bits, so it cannot be guessed.
    """
    return hmac.digest(settings.API_KEY_PEPPER.encode(), secret.encode(), hashlib.sha256).hex()


def environment_tag() -> str:
    """Return the tag in the keys of this environment: `sb` or `live`."""
    return "sb" if settings.IS_SANDBOX else "live"


def _fresh_secret() -> str:
    return f"sk_{environment_tag()}_{secrets.token_urlsafe(32)}"

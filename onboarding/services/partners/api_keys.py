"""Access keys of partners and of the bank's systems: issue, rotation and revocation."""

import hashlib
import hmac
import ipaddress
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction

from banking.errors import StepRefused
from banking.feed.registry import KINDS
from onboarding.choices import Permission
from onboarding.models import ApiKey, BankKey, Partner
from onboarding.models.access_keys import AccessKey
from onboarding.models.bank_keys import ANY_KIND

LONGEST_GRACE = timedelta(days=7)
LONGEST_LIFETIME = timedelta(days=730)
ACTIONS = ("write", "read")


class KeyNotLive(StepRefused):
    """The access key was revoked or has expired."""

    message = "The access key was revoked or has expired."


@dataclass(frozen=True)
class IssuedKey:
    """An access key with its secret in clear; only a digest of the secret is stored."""

    key: AccessKey
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
    """Save a new access key of a partner, and return it with its secret.

    It expires after `lifetime`, or after API_KEY_LIFETIME without one. Without `networks` it works
    from any address.
    Raises: ValueError for an unknown permission, a malformed network, or the bank's own partner.
    """
    issued = prepare_api_key(partner, permissions=permissions, label=label, networks=networks)
    return _save(issued, at=at, lifetime=lifetime)


def prepare_api_key(
    partner: Partner,
    *,
    permissions: Iterable[str],
    label: str = "",
    networks: Iterable[str] = (),
) -> IssuedKey:
    """Return a partner's access key that is not saved, with its secret.

    Raises: ValueError for an unknown permission, a malformed network, or the bank's own partner.
    """
    if partner.is_bank:
        raise ValueError(f"{partner} has no access keys")
    key = ApiKey(
        partner=partner, permissions=[Permission(permission).value for permission in permissions]
    )
    return _prepare(key, label=label, networks=networks)


def issue_bank_key(
    *,
    at: datetime,
    scopes: Iterable[str],
    label: str = "",
    networks: Iterable[str] = (),
    lifetime: timedelta | None = None,
) -> IssuedKey:
    """Save a new access key for a system of the bank, and return it with its secret.

    It expires after `lifetime`, or after API_KEY_LIFETIME without one.
    Raises: ValueError for an unknown scope, no scope or a malformed network.
    """
    issued = prepare_bank_key(scopes=scopes, label=label, networks=networks)
    return _save(issued, at=at, lifetime=lifetime)


def prepare_bank_key(
    *, scopes: Iterable[str], label: str = "", networks: Iterable[str] = ()
) -> IssuedKey:
    """Return a bank key that is not saved, with its secret.

    Raises: ValueError for an unknown scope, no scope or a malformed network.
    """
    scopes = list(dict.fromkeys(scopes))
    if unknown := [scope for scope in scopes if scope not in bank_scopes()]:
        raise ValueError(f"There is no scope {unknown[0]}")
    if not scopes:
        raise ValueError("A key has at least one scope")
    return _prepare(BankKey(permissions=scopes), label=label, networks=networks)


def bank_scopes() -> list[str]:
    """Return the scopes that a bank key may have."""
    return [f"{kind}:{action}" for kind in [ANY_KIND, *sorted(KINDS)] for action in ACTIONS]


def rotate_api_key(key: AccessKey, *, at: datetime, grace: timedelta | None = None) -> IssuedKey:
    """Give the key a new secret, and return both; the old secret stays valid for `grace`.

    `grace` is 0 to 7 days, None stands for SECRET_GRACE. A secret still in an earlier grace period
    ends at once. Raises: KeyNotLive, ValueError for another grace.
    """
    secret = make_secret()
    return IssuedKey(replace_secret(key, secret_digest(secret), at=at, grace=grace), secret)


@transaction.atomic
def replace_secret(
    key: AccessKey, digest: str, *, at: datetime, grace: timedelta | None = None
) -> AccessKey:
    """Store the digest of a new secret; the old secret stays valid for `grace`, 0 to 7 days.

    None stands for SECRET_GRACE. A secret still in an earlier grace period ends at once: a key has
    at most two secrets. Raises: KeyNotLive, ValueError for another grace.
    """
    grace = settings.SECRET_GRACE if grace is None else grace
    if not timedelta(0) <= grace <= LONGEST_GRACE:
        raise ValueError("A grace period lasts 0 to 7 days.")
    live = type(key).objects.live(at=at)
    locked = live.select_for_update(of=("self",)).filter(pk=key.pk).first()
    if locked is None:
        raise KeyNotLive
    locked.previous_digest = locked.secret_digest if grace else ""
    locked.previous_expires_at = at + grace if grace else None
    locked.secret_digest = digest
    locked.save(update_fields=["previous_digest", "previous_expires_at", "secret_digest"])
    return locked


def revoke_api_key(key: AccessKey, *, at: datetime) -> None:
    """Revoke the key now; a key that is revoked already keeps its date."""
    type(key).objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=at)
    key.refresh_from_db(fields=["revoked_at"])


def may_write(access_key: str, kind: str, *, at: datetime) -> bool:
    """Return whether a bank key is live and may write records of the kind."""
    key = BankKey.objects.live(at=at).filter(access_key=access_key).first()
    return key is not None and key.allows("write", kind)


def secret_digest(secret: str, pepper: str | None = None) -> str:
    """Return the keyed hash under which a secret is stored; its key is `pepper` or API_KEY_PEPPER.

    A fast hash suffices: the secret has 256 random bits, so it cannot be guessed.
    """
    key = settings.API_KEY_PEPPER if pepper is None else pepper
    return hmac.digest(key.encode(), secret.encode(), hashlib.sha256).hex()


def environment_tag() -> str:
    """Return the tag in the keys of this environment: `sb` or `live`."""
    return "sb" if settings.IS_SANDBOX else "live"


def make_secret() -> str:
    """Return a new secret of 256 random bits."""
    return f"sk_{environment_tag()}_{secrets.token_urlsafe(32)}"


def _prepare(key: AccessKey, *, label: str, networks: Iterable[str]) -> IssuedKey:
    """Give a key that is not saved its values and a secret.

    Raises: ValueError for a malformed network.
    """
    secret = make_secret()
    key.access_key = f"{key.prefix}_{environment_tag()}_{secrets.token_hex(12)}"
    key.label, key.secret_digest = label, secret_digest(secret)
    key.networks = [str(ipaddress.ip_network(network)) for network in networks]
    return IssuedKey(key, secret)


def _save(issued: IssuedKey, *, at: datetime, lifetime: timedelta | None) -> IssuedKey:
    issued.key.expires_at = at + (lifetime or settings.API_KEY_LIFETIME)
    issued.key.save(force_insert=True)
    return issued

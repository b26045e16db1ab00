"""Digests of the data of records, by which the feed knows a line that changes nothing."""

import hashlib
import hmac

from django.conf import settings
from django.db.models import Model

from foundation.privacy.fields import encrypted_names

KEYED = "k."  # before the digests of kinds with encrypted columns
DIGITS = 30  # of a keyed digest, in hex: the column has 32 characters


def digest_of(text: bytes, model: type[Model]) -> str:
    """Return the digest of the data of a line, `text`, for a record of the model.

    The digest is keyed if the model has an encrypted column. Else the encrypted number
    could be computed from the digest and the other columns, by trying all numbers.
    """
    plain = hashlib.blake2b(text, digest_size=16).hexdigest()
    return keyed(plain) if encrypted_names(model) else plain


def former_digests_of(text: bytes, model: type[Model]) -> list[str]:
    """Return the keyed digests of a line's data under the former keys, API_KEY_PEPPER_FALLBACKS.

    Empty for a model without encrypted columns, whose digests have no key.
    """
    if not settings.API_KEY_PEPPER_FALLBACKS or not encrypted_names(model):
        return []
    plain = hashlib.blake2b(text, digest_size=16).hexdigest()
    return [keyed(plain, pepper) for pepper in settings.API_KEY_PEPPER_FALLBACKS]


def keyed(plain: str, pepper: str | None = None) -> str:
    """Return the keyed digest for a plain digest; the key is `pepper`, or else API_KEY_PEPPER."""
    key = settings.API_KEY_PEPPER if pepper is None else pepper
    digest = hmac.digest(key.encode(), f"feed\0{plain}".encode(), hashlib.sha256)
    return KEYED + digest.hex()[:DIGITS]


def is_of(stored: str, digest: str) -> bool:
    """Return whether a stored digest is of the same data as `digest`.

    The stored digest may be plain where `digest` is keyed: release 1.0.0, which may still run
    beside this one, stores plain digests.
    """
    return stored == digest or (digest.startswith(KEYED) and keyed(stored) == digest)

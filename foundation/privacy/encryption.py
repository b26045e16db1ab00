"""Encrypt texts under the keys of the setting PII_KEYS, and compute blind indexes.

Source: AES-256-GCM of NIST SP 800-38D with 96-bit random nonces; the blind index is HMAC-SHA-256.
"""

import base64
import functools
import hashlib
import hmac
import os
import re

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

VERSION = "e1"
NONCE_BYTES = 12
KEY = re.compile(r"(?P<id>[A-Za-z0-9_-]+):(?P<digits>[0-9A-Fa-f]{64})")


class DecryptionError(Exception):
    """No key decrypts a value: its key was removed, or the value was moved or changed."""


def encrypt(text: str, *, context: str) -> str:
    """Encrypt `text` with the primary key. It can be decrypted in the same `context` only.

    Shape: `e1.<key id>.<base64url of nonce and ciphertext>`.
    """
    nonce = os.urandom(NONCE_BYTES)
    ciphertext = _keys()[primary_key_id()].encrypt(nonce, text.encode(), context.encode())
    return primary_prefix() + base64.urlsafe_b64encode(nonce + ciphertext).decode()


def decrypt(encrypted: str, *, context: str) -> str:
    """Decrypt a value that `encrypt` returned. Raises: DecryptionError."""
    try:
        version, key_id, body = encrypted.split(".")
        if version != VERSION:
            raise ValueError(version)
        raw = base64.urlsafe_b64decode(body)
        text = _keys()[key_id].decrypt(raw[:NONCE_BYTES], raw[NONCE_BYTES:], context.encode())
    except (ValueError, KeyError, InvalidTag) as exc:
        raise DecryptionError(f"No key decrypts this value of {context}.") from exc
    return text.decode()


def blind_index(text: str, *, context: str) -> str:
    """Return a keyed hash of a number that ignores case and punctuation.

    Shape: 32 hex digits; empty for a text without letters and digits.
    """
    normal = "".join(character for character in text if character.isalnum()).upper()
    if not normal:
        return ""
    message = f"{context}\0{normal}".encode()
    return hmac.digest(settings.PII_INDEX_KEY.encode(), message, hashlib.sha256).hex()[:32]


def parse_keys(setting: str) -> dict[str, bytes]:
    """Parse a value of PII_KEYS into keys by id; a key service unwraps them first.

    Raises: ImproperlyConfigured, KeyServiceUnavailable.
    """
    if settings.KEY_PROVIDER == "aws-kms":
        from foundation.privacy.aws_kms import unwrap_pii_keys  # which imports this module

        return unwrap_pii_keys(setting)
    pairs = [KEY.fullmatch(pair.strip()) for pair in setting.split(",")]
    keys = {pair["id"]: bytes.fromhex(pair["digits"]) for pair in pairs if pair}
    if len(keys) < len(pairs):
        raise ImproperlyConfigured("PII_KEYS must read id:64 hex digits,… with each id once.")
    return keys


def primary_key_id() -> str:
    """Return the id of the key that encrypts new values."""
    return next(iter(_keys()))


def primary_prefix() -> str:
    """Return the prefix of each value encrypted with the primary key."""
    return f"{VERSION}.{primary_key_id()}."


def _keys() -> dict[str, AESGCM]:
    return _parsed_keys(settings.PII_KEYS)


@functools.cache
def _parsed_keys(setting: str) -> dict[str, AESGCM]:
    return {key_id: AESGCM(key) for key_id, key in parse_keys(setting).items()}

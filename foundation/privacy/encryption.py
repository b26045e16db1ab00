"""Encrypt texts under the keys of PII_KEYS, and index numbers under those of PII_INDEX_KEYS.

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

UNBOUND, BOUND = "e1", "e2"  # versions: bound to a context only, and to a row as well
NONCE_BYTES = 12
KEY = re.compile(r"(?P<id>[A-Za-z0-9_-]+):(?P<digits>[0-9A-Fa-f]{64})")
# at most 9 characters, so that an index has at most 32; the key without an id may be any text
INDEX_KEY = re.compile(r"(?P<id>[A-Za-z0-9_-]{1,9}):(?P<digits>[0-9A-Fa-f]{64})|:(?P<text>.+)")
INDEX_BYTES = 16


class DecryptionError(Exception):
    """A value cannot be decrypted: its key was removed, or the value was moved or changed."""


def encrypt(text: str, *, context: str, row: str = "") -> str:
    """Encrypt `text` with the primary key. It can be decrypted in the same context and row only.

    Shape: `e2.<key id>.<base64url of nonce and ciphertext>`; without a row, `e1`.
    """
    version = BOUND if row else UNBOUND
    nonce = os.urandom(NONCE_BYTES)
    key_id, key = next(iter(_keys().items()))
    ciphertext = key.encrypt(nonce, text.encode(), _bound_to(version, context, row))
    return f"{version}.{key_id}.{base64.urlsafe_b64encode(nonce + ciphertext).decode()}"


def decrypt(encrypted: str, *, context: str, row: str = "") -> str:
    """Decrypt a value that `encrypt` returned. Raises: DecryptionError.

    A value that was encrypted without a row is decrypted in every row of its context. Columns get
    no such values any more, and keep none after `rotate_pii_keys`. Data keys of files and cursors
    of pages are still encrypted without a row.
    """
    where = f"{context} of row {row}" if row else context
    try:
        version, key_id, body = encrypted.split(".")
        raw, bound_to = base64.urlsafe_b64decode(body), _bound_to(version, context, row)
        text = _keys()[key_id].decrypt(raw[:NONCE_BYTES], raw[NONCE_BYTES:], bound_to)
    except KeyError:
        raise DecryptionError(f"{where}: PII_KEYS lacks the key of this value.") from None
    except (ValueError, InvalidTag):
        fault = f"{where}: this value was changed, or belongs to another row or column."
        raise DecryptionError(fault) from None
    return text.decode()


def blind_index(text: str, *, context: str, key_id: str | None = None) -> str:
    """Return a keyed hash of a number that ignores case and punctuation.

    The key is the first of PII_INDEX_KEYS, or that of `key_id`. Raises: KeyError for an unknown id.
    Shape: `<key id>.<22 characters of base64url>`, or 32 hex digits under the key without an id;
    empty for a text without letters and digits.
    """
    normal = "".join(character for character in text if character.isalnum()).upper()
    if not normal:
        return ""
    keys = _index_keys()
    key_id = next(iter(keys)) if key_id is None else key_id
    message = f"{context}\0{normal}".encode()
    digest = hmac.digest(keys[key_id], message, hashlib.sha256)[:INDEX_BYTES]
    if not key_id:
        return digest.hex()
    return f"{key_id}.{base64.urlsafe_b64encode(digest).decode().rstrip('=')}"


def blind_indexes(text: str, *, context: str) -> list[str]:
    """Return the blind index under each key, to find a number whichever key it was indexed with."""
    indexes = (blind_index(text, context=context, key_id=key_id) for key_id in index_key_ids())
    return [index for index in indexes if index]


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


def parse_index_keys(setting: str) -> dict[str, bytes]:
    """Parse a value of PII_INDEX_KEYS into keys by id. Raises: ImproperlyConfigured."""
    pairs = [INDEX_KEY.fullmatch(pair.strip()) for pair in setting.split(",")]
    keys = {
        pair["id"] or "": bytes.fromhex(pair["digits"]) if pair["id"] else pair["text"].encode()
        for pair in pairs
        if pair
    }
    if len(keys) < len(pairs):
        raise ImproperlyConfigured(
            "PII_INDEX_KEYS must read id:64 hex digits,… with each id once and of at most nine "
            "characters; the key of the former setting PII_INDEX_KEY comes behind a colon."
        )
    return keys


def primary_key_id() -> str:
    """Return the id of the key that encrypts new values."""
    return next(iter(_keys()))


def primary_prefix() -> str:
    """Return the prefix of each value bound to its row and encrypted with the primary key."""
    return f"{BOUND}.{primary_key_id()}."


def index_key_ids() -> list[str]:
    """Return the ids of PII_INDEX_KEYS, that of the key for new indexes first.

    The id of the key without an id is empty.

    Raises: ImproperlyConfigured.
    """
    return list(_index_keys())


def _bound_to(version: str, context: str, row: str) -> bytes:
    """Return the associated data of a value. Raises: ValueError for an unknown version."""
    if version == UNBOUND:
        return context.encode()
    if version == BOUND and row:
        return f"{context}\0{row}".encode()
    raise ValueError(version)


def _keys() -> dict[str, AESGCM]:
    return _parsed_keys(settings.PII_KEYS)


def _index_keys() -> dict[str, bytes]:
    return _parsed_index_keys(settings.PII_INDEX_KEYS)


@functools.cache
def _parsed_keys(setting: str) -> dict[str, AESGCM]:
    return {key_id: AESGCM(key) for key_id, key in parse_keys(setting).items()}


_parsed_index_keys = functools.cache(parse_index_keys)

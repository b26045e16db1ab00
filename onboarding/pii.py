"""Personal numbers: sealed at rest, found by a blind index, shown by their last four at most.

Source: AES-256-GCM of NIST SP 800-38D with 96-bit random nonces; the blind index is HMAC-SHA-256.
"""

import base64
import functools
import hashlib
import hmac
import os
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import models
from django.db.models.lookups import IsNull

VERSION = "e1"
NONCE_BYTES = 12
SHOWN = 4


class Unsealable(Exception):
    """A sealed value that no key opens: its key is gone, or it was moved or changed."""


def seal(text: str, *, context: str) -> str:
    """Encrypt `text` under the primary key; it opens only in the same `context`.

    Shape: `e1.<key id>.<base64url of nonce and ciphertext>`.
    """
    key_id = primary_key_id()
    nonce = os.urandom(NONCE_BYTES)
    sealed = _keys()[key_id].encrypt(nonce, text.encode(), context.encode())
    return f"{VERSION}.{key_id}.{base64.urlsafe_b64encode(nonce + sealed).decode()}"


def unseal(sealed: str, *, context: str) -> str:
    """Decrypt what `seal` returned. Raises: Unsealable."""
    try:
        version, key_id, body = sealed.split(".")
        if version != VERSION:
            raise ValueError(version)
        raw = base64.urlsafe_b64decode(body)
        opened = _keys()[key_id].decrypt(raw[:NONCE_BYTES], raw[NONCE_BYTES:], context.encode())
    except (ValueError, KeyError, InvalidTag) as exc:
        raise Unsealable(f"No key opens this value of {context}.") from exc
    return opened.decode()


def blind_index(text: str, *, context: str) -> str:
    """Return a keyed fingerprint: equal numbers match, however they are punctuated.

    Shape: 32 hex digits; empty for an empty text.
    """
    if not text:
        return ""
    normal = "".join(character for character in text if character.isalnum()).upper()
    message = f"{context}\0{normal}".encode()
    return hmac.digest(settings.PII_INDEX_KEY.encode(), message, hashlib.sha256).hex()[:32]


def last_four(text: str) -> str:
    """Return the last four characters, or none where they would be half of the number or more."""
    return text[-SHOWN:] if len(text) > 2 * SHOWN else ""


def mask(text: str) -> str:
    """Return what may be shown: bullets and the last four characters."""
    return f"••••{last_four(text)}" if text else ""


def primary_key_id() -> str:
    """Return the id of the key that seals."""
    return next(iter(_keys()))


class SealedField(models.TextField):
    """A text that is encrypted in the database, bound to this model and field.

    It cannot be filtered on, save by `isnull` and by the empty text: use a `BlindIndexField`.
    """

    @property
    def context(self) -> str:
        """Return what the ciphertext is bound to."""
        return f"{self.model._meta.label_lower}.{self.name}"

    def get_prep_value(self, value: Any) -> Any:
        value = super().get_prep_value(value)
        return seal(value, context=self.context) if value else value

    def from_db_value(self, value: Any, _expression: Any, _connection: Any) -> Any:
        return unseal(value, context=self.context) if value else value

    def get_lookup(self, lookup_name: str) -> Any:
        return IsNull if lookup_name == "isnull" else None


class BlindIndexField(models.CharField):
    """The blind index of a `SealedField` beside it, computed whenever the row is saved.

    Indexes of the same `context` match across models.
    """

    def __init__(self, *, of: str = "", context: str = "", **options: Any) -> None:
        self.of, self.context = of, context
        super().__init__(
            **{"max_length": 32, "blank": True, "default": "", "editable": False, **options}
        )

    def deconstruct(self) -> tuple[str, str, Any, dict[str, Any]]:
        name, path, args, options = super().deconstruct()
        return name, path, args, {**options, "of": self.of, "context": self.context}

    def pre_save(self, model_instance: models.Model, add: bool) -> str:
        value = blind_index(getattr(model_instance, self.of), context=self.context)
        setattr(model_instance, self.attname, value)
        return value


def _keys() -> dict[str, AESGCM]:
    return _parsed_keys(settings.PII_KEYS)


@functools.cache
def _parsed_keys(setting: str) -> dict[str, AESGCM]:
    try:
        pairs = (pair.split(":") for pair in setting.split(","))
        return {key_id: AESGCM(bytes.fromhex(digits)) for key_id, digits in pairs}
    except ValueError:
        raise ImproperlyConfigured("PII_KEYS must read id:64 hex digits, …") from None

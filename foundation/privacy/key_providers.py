"""Key providers: wrap the data keys of files with keys that are not stored beside the files.

The setting KEY_PROVIDER selects the provider that wraps new keys: `environment` and `file` use the
first key of PII_KEYS, read from the environment or from a file; `aws-kms` asks AWS KMS.
A wrapped key names its provider, so keys wrapped before a change of the setting can be unwrapped.
"""

from typing import Final, Protocol

from django.conf import settings

from foundation.privacy import aws_kms
from foundation.privacy.encryption import UNBOUND, decrypt, encrypt, primary_key_id

AWS_KMS: Final = "aws-kms"


class KeyProvider(Protocol):
    """Wraps data keys. `context` names the purpose of a key; unwrapping needs the same context."""

    def wrap(self, key: bytes, *, context: str) -> str:
        """Return the wrapped key in ASCII. Raises: KeyServiceUnavailable."""

    def unwrap(self, wrapped: str, *, context: str) -> bytes:
        """Return the key. Raises: DecryptionError, KeyServiceUnavailable."""

    def is_current(self, wrapped: str) -> bool:
        """Return whether the key was wrapped with the key that `wrap` uses now."""


class LocalKeys:
    """Wraps with the keys of PII_KEYS."""

    def wrap(self, key: bytes, *, context: str) -> str:
        return encrypt(key.hex(), context=context)

    def unwrap(self, wrapped: str, *, context: str) -> bytes:
        return bytes.fromhex(decrypt(wrapped, context=context))

    def is_current(self, wrapped: str) -> bool:
        return wrapped.startswith(f"{UNBOUND}.{primary_key_id()}.")


def key_provider() -> KeyProvider:
    """Return the provider that wraps new keys."""
    return aws_kms.KmsKeys() if settings.KEY_PROVIDER == AWS_KMS else LocalKeys()


def unwrap(wrapped: str, *, context: str) -> bytes:
    """Return a data key that any provider wrapped.

    Raises: DecryptionError, KeyServiceUnavailable.
    """
    is_kms = wrapped.startswith(aws_kms.PREFIX)
    return (aws_kms.KmsKeys() if is_kms else LocalKeys()).unwrap(wrapped, context=context)

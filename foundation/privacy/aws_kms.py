"""AWS KMS: wraps data keys with a key that never leaves the service, and unwraps PII_KEYS.

The client takes credentials, and an endpoint or region that the settings leave out, from its
environment. The context of a key is its encryption context, which KMS authenticates and writes into
its log.
"""

import base64
import binascii
import functools
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from foundation.privacy.encryption import DecryptionError

PREFIX: Final = "aws-kms."
CONTEXT_NAME: Final = "vestibule"
PII_KEY: Final = re.compile(r"(?P<id>[A-Za-z0-9_-]+):(?P<body>[A-Za-z0-9+/]{80,}={0,2})")
NOT_OURS: Final = {"InvalidCiphertextException", "IncorrectKeyException"}
CACHE_SECONDS: Final = 300
CACHE_KEYS: Final = 1000


class KeyServiceUnavailable(Exception):
    """The key service does not answer, or refuses this process."""


class KmsKeys:
    """Wraps data keys with the AWS KMS key KMS_KEY_ID; keeps unwrapped keys for CACHE_SECONDS.

    Shape of a wrapped key: `aws-kms.<KMS_KEY_ID>.<base64 of the ciphertext>`.
    """

    def wrap(self, key: bytes, *, context: str) -> str:
        with _faults():
            body = kms_client().encrypt(
                KeyId=settings.KMS_KEY_ID, Plaintext=key, EncryptionContext={CONTEXT_NAME: context}
            )["CiphertextBlob"]
        wrapped = f"{PREFIX}{settings.KMS_KEY_ID}.{base64.b64encode(body).decode()}"
        unwrapped_keys.put((wrapped, context), key)
        return wrapped

    def unwrap(self, wrapped: str, *, context: str) -> bytes:
        key = unwrapped_keys.get((wrapped, context))
        if key is None:
            key = _decrypt(wrapped.rpartition(".")[2], context)
            unwrapped_keys.put((wrapped, context), key)
        return key

    def is_current(self, wrapped: str) -> bool:
        return wrapped.startswith(f"{PREFIX}{settings.KMS_KEY_ID}.")


class BoundedCache:
    """A cache of at most `most` keys. Each expires after `seconds`; the oldest goes first."""

    def __init__(self, most: int, seconds: float) -> None:
        self.most, self.seconds = most, seconds
        self._kept: OrderedDict[tuple[str, str], tuple[float, bytes]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, name: tuple[str, str]) -> bytes | None:
        """Return a key; None if it is not kept or has expired."""
        with self._lock:
            until, key = self._kept.get(name, (0.0, b""))
            return key if time.monotonic() < until else None

    def put(self, name: tuple[str, str], key: bytes) -> None:
        """Keep a key; drop the ones that are too old or too many."""
        now = time.monotonic()
        with self._lock:
            self._kept.pop(name, None)
            self._kept[name] = now + self.seconds, key
            while len(self._kept) > self.most or next(iter(self._kept.values()))[0] <= now:
                self._kept.popitem(last=False)


@functools.cache
def unwrap_pii_keys(setting: str) -> dict[str, bytes]:
    """Unwrap a value of PII_KEYS by KMS, once in a process; return the keys by id.

    The encryption context of each is `PII_KEYS <id>`.
    Raises: ImproperlyConfigured, KeyServiceUnavailable.
    """
    pairs = [PII_KEY.fullmatch(pair.strip()) for pair in setting.split(",")]
    wrapped = {pair["id"]: pair["body"] for pair in pairs if pair}
    if len(wrapped) < len(pairs):
        raise ImproperlyConfigured(
            "With KEY_PROVIDER=aws-kms, PII_KEYS must read id:base64 of KMS's ciphertext,… with "
            "each id once."
        )
    try:
        return {name: _decrypt(body, f"PII_KEYS {name}") for name, body in wrapped.items()}
    except DecryptionError as exc:
        raise ImproperlyConfigured(f"PII_KEYS: {exc}") from exc


def _decrypt(body: str, context: str) -> bytes:
    try:
        blob = base64.b64decode(body, validate=True)
    except binascii.Error as exc:
        raise DecryptionError("A wrapped key is not Base64.") from exc
    with _faults():
        key: bytes = kms_client().decrypt(
            CiphertextBlob=blob, EncryptionContext={CONTEXT_NAME: context}
        )["Plaintext"]
    return key


@contextmanager
def _faults() -> Iterator[None]:
    """Turn every exception of the block into DecryptionError or KeyServiceUnavailable.

    DecryptionError means that KMS does not unwrap this key, for its body or its context.
    """
    try:
        yield
    except Exception as exc:
        code = getattr(exc, "response", {}).get("Error", {}).get("Code", "")
        if code in NOT_OURS:
            raise DecryptionError(f"KMS does not unwrap the key: {code}.") from exc
        raise KeyServiceUnavailable(f"AWS KMS: {type(exc).__name__}: {exc}") from exc


@functools.cache
def kms_client() -> Any:
    """Return the boto3 client of AWS KMS: one for all threads of the process."""
    import boto3  # in requirements-s3.txt
    from botocore.config import Config

    return boto3.session.Session().client(
        "kms",
        endpoint_url=settings.KMS_ENDPOINT or None,
        region_name=settings.KMS_REGION or None,
        config=Config(connect_timeout=2, read_timeout=5, retries={"total_max_attempts": 2}),
    )


unwrapped_keys = BoundedCache(CACHE_KEYS, CACHE_SECONDS)

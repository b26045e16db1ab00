"""Keys: the Ed25519 key that signs anchors, and the public keys that verify them."""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

PEM = re.compile(rb"-----BEGIN ([A-Z ]+)-----.+?-----END \1-----", re.DOTALL)
PRIVATE = b"PRIVATE KEY"


class KeyFault(Exception):
    """The key file is missing, cannot be read, or lacks the key that is needed."""


@dataclass(frozen=True)
class Keys:
    """The keys of a file: a private key signs, and all keys verify."""

    private: Ed25519PrivateKey | None
    public: dict[str, Ed25519PublicKey]

    @property
    def signing_id(self) -> str:
        """Return the id of the private key. Raises: KeyFault."""
        return key_id(self._signing().public_key())

    def sign(self, message: bytes) -> bytes:
        """Return the signature of a message. Raises: KeyFault."""
        return self._signing().sign(message)

    def verifies(self, message: bytes, signature: bytes) -> bool:
        """Return whether one of the keys signed the message."""
        return any(_verifies(key, message, signature) for key in self.public.values())

    def _signing(self) -> Ed25519PrivateKey:
        if self.private is None:
            raise KeyFault("the key file has no private key: it can only verify")
        return self.private


def load(path: Path | None) -> Keys:
    """Return the keys of a PEM file: at most one private key, and any number of public keys.

    Raises: KeyFault.
    """
    if path is None:
        raise KeyFault("ANCHOR_KEY_FILE is not set")
    try:
        content = path.read_bytes()
        return _parse(content)
    except (OSError, ValueError) as exc:
        raise KeyFault(f"the key file {path} cannot be used: {exc}") from exc


def key_id(key: Ed25519PublicKey) -> str:
    """Return the SHA-256, in hexadecimal, of the 32 bytes of a public key."""
    raw = key.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    return hashlib.sha256(raw).hexdigest()


def _parse(content: bytes) -> Keys:
    private, public = None, {}
    for found in PEM.finditer(content):
        if found[1] == PRIVATE:
            key = serialization.load_pem_private_key(found[0], password=None)
            if private or not isinstance(key, Ed25519PrivateKey):
                raise ValueError("it may have one private key, of Ed25519")
            private, shared = key, key.public_key()
        else:
            other = serialization.load_pem_public_key(found[0])
            if not isinstance(other, Ed25519PublicKey):
                raise ValueError("its keys must be of Ed25519")
            shared = other
        public[key_id(shared)] = shared
    if not public:
        raise ValueError("it has no key in PEM")
    return Keys(private, public)


def _verifies(key: Ed25519PublicKey, message: bytes, signature: bytes) -> bool:
    try:
        key.verify(signature, message)
    except InvalidSignature:
        return False
    return True

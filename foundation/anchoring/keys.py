"""The key file: the Ed25519 key that signs anchors, and the public keys that verify them."""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

PEM = re.compile(
    rb"(?:^Until anchor (?P<until>\d+)\s+)?"
    rb"(?P<pem>-----BEGIN (?P<kind>[A-Z ]+)-----.+?-----END (?P=kind)-----)",
    re.DOTALL | re.MULTILINE,
)
PRIVATE = b"PRIVATE KEY"


class KeyFault(Exception):
    """The key file is missing, cannot be read, or lacks the key that is needed."""


@dataclass(frozen=True)
class Keys:
    """The keys of a file: a private key signs, and all keys verify.

    `until` has the number of the last anchor that a retired key verifies, by the id of the key.
    """

    path: Path
    private: Ed25519PrivateKey | None
    public: dict[str, Ed25519PublicKey]
    until: dict[str, int]

    @property
    def signing_id(self) -> str:
        """Return the id of the private key. Raises: KeyFault."""
        return key_id(self._signing().public_key())

    def sign(self, message: bytes) -> bytes:
        """Return the signature of a message. Raises: KeyFault."""
        return self._signing().sign(message)

    def verifies(self, message: bytes, signature: bytes, *, number: int) -> bool:
        """Return whether a key signed the message that was not retired before anchor `number`."""
        return any(
            _verifies(key, message, signature)
            for name, key in self.public.items()
            if number <= self.until.get(name, number)
        )

    def _signing(self) -> Ed25519PrivateKey:
        if self.private is None:
            raise KeyFault("the key file has no private key: it can only verify")
        return self.private


def load(path: Path | None) -> Keys:
    """Return the keys of a PEM file: at most one private key, and any number of public keys.

    At most one key is not retired; the private key never is. Before each retired key, a line such
    as `Until anchor 12` names the last anchor that the key verifies.
    Raises: KeyFault, also for None.
    """
    if path is None:
        raise KeyFault("ANCHOR_KEY_FILE is not set")
    try:
        content = path.read_bytes()
        return Keys(path, *_parse(content))
    except (OSError, ValueError) as exc:
        raise KeyFault(f"the key file {path} cannot be used: {exc}") from exc


def key_id(key: Ed25519PublicKey) -> str:
    """Return the SHA-256, in hexadecimal, of the 32 bytes of a public key."""
    raw = key.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    return hashlib.sha256(raw).hexdigest()


def _parse(
    content: bytes,
) -> tuple[Ed25519PrivateKey | None, dict[str, Ed25519PublicKey], dict[str, int]]:
    private, public, until = None, {}, {}
    for found in PEM.finditer(content):
        if found["kind"] == PRIVATE:
            key = serialization.load_pem_private_key(found["pem"], password=None)
            if private or not isinstance(key, Ed25519PrivateKey):
                raise ValueError("it may have one private key, of Ed25519")
            private, shared = key, key.public_key()
        else:
            other = serialization.load_pem_public_key(found["pem"])
            if not isinstance(other, Ed25519PublicKey):
                raise ValueError("its keys must be of Ed25519")
            shared = other
        public[key_id(shared)] = shared
        if found["until"]:
            until[key_id(shared)] = int(found["until"])
    if not public:
        raise ValueError("it has no key in PEM")
    if len(public) - len(until) > 1 or (private and key_id(private.public_key()) in until):
        raise ValueError("a line `Until anchor NUMBER` must be before each key but the present one")
    return private, public, until


def _verifies(key: Ed25519PublicKey, message: bytes, signature: bytes) -> bool:
    try:
        key.verify(signature, message)
    except InvalidSignature:
        return False
    return True

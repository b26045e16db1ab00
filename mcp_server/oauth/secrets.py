"""Secrets of clients: as long and random as tokens, so a plain hash keeps them."""

import hashlib
import hmac
from typing import Any

from django.contrib.auth.hashers import BasePasswordHasher


class ClientSecretHasher(BasePasswordHasher):
    """Hashes generated client secrets, whose 128 random characters need no slow hash.

    A password's hash is slow on purpose. Anybody may call the token endpoint, and each call would
    compute one.
    """

    algorithm = "client_secret"

    def encode(self, password: str, salt: str) -> str:
        digest = hashlib.sha256(f"{salt}{password}".encode()).hexdigest()
        return f"{self.algorithm}${salt}${digest}"

    def decode(self, encoded: str) -> dict[str, Any]:
        algorithm, salt, digest = encoded.split("$", 2)
        return {"algorithm": algorithm, "salt": salt, "hash": digest}

    def verify(self, password: str, encoded: str) -> bool:
        return hmac.compare_digest(encoded, self.encode(password, self.decode(encoded)["salt"]))

    def safe_summary(self, encoded: str) -> dict[Any, Any]:
        return {"algorithm": self.algorithm}

    def harden_runtime(self, password: str, encoded: str) -> None:
        pass  # there is no older, faster kind to hide

"""Digests of random secrets, such as links, tokens and keys: only the digest is stored."""

import hashlib


def digest(secret: str) -> str:
    """Return the SHA-256 of a secret in hexadecimal, under which the secret's row is found.

    A text with half of a surrogate pair, as a URL can have, is the secret of no row.
    """
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()

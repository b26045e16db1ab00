"""What every peer knows of credentials: the header, the digests, the applicant's link and token."""

import base64
import hashlib
import hmac
import os
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID

from uuid_utils.compat import uuid7

SCHEME = "vestibule"
PEPPER = os.environ.get("API_KEY_PEPPER", "").encode()
LINK_KEY = os.environ.get("LINK_KEY", "").encode()
FOLDER = Path(os.environ.get("DATA_DIR", "var"), "peers")
BASE_URL = os.environ.get("BASE_URL", "http://127.0.0.1:8000")
LINK_LIFETIME = timedelta(days=30)
TOKEN_LIFETIME = timedelta(minutes=60)
FIRST_REMINDER = timedelta(days=1)


class Unauthorized(Exception):
    """The credentials are none of ours."""


@dataclass(frozen=True)
class Access:
    """A way into an application, and the columns that keep it."""

    location: str
    token: str
    columns: dict


def read_credentials(header: str) -> tuple[str, str]:
    """Return key and secret of `<SCHEME> <ACCESS_KEY>:<SECRET_KEY>`. Raises: Unauthorized."""
    scheme, _, pair = header.partition(" ")
    access_key, _, secret = pair.partition(":")
    if scheme.lower() != SCHEME or not (access_key and secret):
        raise Unauthorized
    return access_key, secret


def opens(digest: str, secret: str) -> bool:
    """Say whether the secret is the one that the digest was made from."""
    made = hmac.digest(PEPPER, secret.encode(), hashlib.sha256).hex()
    return hmac.compare_digest(made, digest)


def grant(external_id: object, link_version: int, at: datetime) -> Access:
    """Return the application's link, derived as ours is, and a fresh token."""
    mac = hmac.digest(LINK_KEY, f"{external_id}:{link_version}".encode(), hashlib.sha256)
    link = base64.urlsafe_b64encode(mac).rstrip(b"=").decode()
    token = secrets.token_urlsafe(32)
    columns = {
        "link_digest": hashlib.sha256(link.encode()).hexdigest(),
        "link_expires_at": at + LINK_LIFETIME,
        "token_digest": hashlib.sha256(token.encode()).hexdigest(),
        "token_expires_at": at + TOKEN_LIFETIME,
        "token_used_at": None,
        "remind_at": at + FIRST_REMINDER,
    }
    return Access(f"{BASE_URL}/apply/{link}", token, columns)


def masked(number: str) -> str:
    """Return what may be shown of a personal number."""
    return f"••••{number[-4:] if len(number) > 8 else ''}" if number else ""


def new_id() -> UUID:
    """Return an id that sorts by time, as ours do."""
    return uuid7()


def write_file(path: Path, content: bytes) -> None:
    """Write a file that nobody else may read."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)

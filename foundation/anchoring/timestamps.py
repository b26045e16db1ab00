"""Timestamps: RFC 3161 tokens, with which a third party confirms when a statement existed.

pyHanko is imported where it is used, since few programs need it and its import is slow.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import cast

from asgiref.sync import async_to_sync
from asn1crypto import cms

HASH = "sha256"
TIMEOUT_SECONDS = 20


class TimestampFault(Exception):
    """The server gave no timestamp, or the token is no valid timestamp of the given bytes."""


@dataclass(frozen=True)
class Timestamp:
    """The time of a token, and the name in the certificate that signed it."""

    at: datetime
    by: str


def request(url: str, content: bytes) -> bytes:
    """Return a token of the server for the content, encoded in DER. Raises: TimestampFault."""
    from pyhanko.sign.timestamps.requests_client import RequestsHTTPTimeStamper

    server = RequestsHTTPTimeStamper(  # type: ignore[no-untyped-call]  # the library lacks types
        url, timeout=TIMEOUT_SECONDS
    )
    try:
        token = async_to_sync(server.async_timestamp)(hashlib.sha256(content).digest(), HASH)
    except (OSError, ValueError) as exc:
        raise TimestampFault(f"{url}: {exc}") from exc
    encoded = cast("bytes", token.dump())
    check(encoded, content)
    return encoded


def check(token: bytes, content: bytes) -> Timestamp:
    """Return the time and the signer of a token for the content, after verifying its signature.

    The certificate is taken from the token. Whether it is to be trusted is not checked:
    `openssl ts -verify` does that. Raises: TimestampFault.
    """
    from pyhanko.sign.validation.generic_cms import validate_tst_signed_data
    from pyhanko_certvalidator import ValidationContext

    trust = ValidationContext(trust_roots=[], allow_fetching=False)
    try:
        signed = cms.ContentInfo.load(token, strict=True)["content"]
        status = async_to_sync(validate_tst_signed_data)(signed, trust, partial(_imprint, content))
    except Exception as exc:  # the library has many
        raise TimestampFault(f"the timestamp cannot be read: {exc}") from exc
    if not (status["intact"] and status["valid"]):
        raise TimestampFault("the timestamp is not one of this statement")
    return Timestamp(status["timestamp"], status["signing_cert"].subject.human_friendly)


def _imprint(content: bytes, algorithm: str) -> bytes:
    return hashlib.new(algorithm, content).digest()

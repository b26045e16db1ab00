"""The generic provider: the HTTPS contract of docs/verification-providers.md, version 1."""

import hashlib
import hmac
import json
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from foundation.verification.interface import (
    Account,
    Call,
    Kind,
    Outcome,
    Pending,
    Question,
    Reply,
    Result,
    Unusable,
    WrongSignature,
    parse_object,
    read_text,
    require_success,
)

VERSION: Final = "1"
TOLERANCE_SECONDS: Final = 300
SECRET_PREFIX: Final = "whsec_"  # noqa: S105 - the beginning of each secret
MIN_SECRET_BYTES: Final = 24
PENDING: Final = "PENDING"


class HttpsProvider:
    """A provider that follows the bank's own contract."""

    needs: Mapping[Kind, tuple[str, ...]] = {
        Kind.IDENTITY: ("firstName", "lastName", "birthDate", "ssn", "address"),
        Kind.REGISTRY: ("businessName", "ein", "businessType", "incorporationState"),
        Kind.ADDRESS: ("businessName", "businessAddress"),
    }

    def __init__(self, account: Account) -> None:
        """Take the account. Raises: ValueError if its secret cannot verify callbacks."""
        if len(decode_secret(account.secret)) < MIN_SECRET_BYTES:
            raise ValueError(f"its secret has less than {MIN_SECRET_BYTES} bytes")
        self.account = account

    def ask(self, question: Question) -> Call:
        body = {
            "version": VERSION,
            "requestId": question.request_id,
            "kind": question.kind.value,
            "subject": dict(question.subject),
            "callbackUrl": question.callback_url,
        }
        headers = {
            **self._authorization(),
            "Content-Type": "application/json",
            "Idempotency-Key": question.request_id,
        }
        return Call("POST", "/verifications", headers, json.dumps(body).encode())

    def poll(self, question: Question, reference: str) -> Call | None:
        return Call("GET", f"/verifications/{question.request_id}", self._authorization())

    def read_reply(self, question: Question, reply: Reply) -> Result | Pending:
        require_success(reply)
        request_id, result = read_result(parse_object(reply.content))
        if request_id != question.request_id:
            raise Unusable("the answer is about another request")
        return result

    def read_callback(
        self, headers: Mapping[str, str], content: bytes, *, at: datetime
    ) -> tuple[str, Result | Pending]:
        verify_signature(self.account.secret, headers, content, at=at)
        return read_result(parse_object(content))

    def _authorization(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.account.token}"}


def read_result(value: Mapping[str, Any]) -> tuple[str, Result | Pending]:
    """Return request id and result of an answer in version 1. Raises: Unusable."""
    if value.get("version") != VERSION:
        raise Unusable("the answer is of another version")
    request_id, outcome = read_text(value, "requestId"), read_text(value, "outcome")
    if outcome == PENDING:
        return request_id, Pending(read_text(value, "reference", ""))
    if outcome not in {*Outcome}:
        raise Unusable("the outcome is none of PASS, WARN, FAIL and PENDING")
    reasons = value.get("reasons", [])
    if not isinstance(reasons, list) or not all(isinstance(reason, str) for reason in reasons):
        raise Unusable("the reasons are no list of codes")
    result = Result(Outcome(outcome), read_text(value, "reference"), tuple(reasons))
    return request_id, result


def verify_signature(
    secret: str, headers: Mapping[str, str], content: bytes, *, at: datetime
) -> None:
    """Verify a signature of Standard Webhooks 1.0 that is at most five minutes old or ahead.

    Header names are in lower case. Raises: WrongSignature.
    """
    message_id, sent_at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not message_id or not sent_at.isascii() or not sent_at.isdecimal() or len(sent_at) > 12:
        raise WrongSignature
    if abs(at.timestamp() - int(sent_at)) > TOLERANCE_SECONDS:
        raise WrongSignature
    expected = sign(secret, message_id, sent_at, content).encode()
    given = headers.get("webhook-signature", "").encode(errors="replace").split()
    if not any([hmac.compare_digest(expected, one) for one in given[:5]]):  # noqa: C419 - each
        raise WrongSignature


def sign(secret: str, message_id: str, sent_at: str, content: bytes) -> str:
    """Return a signature of Standard Webhooks 1.0: `v1,` and the Base64 of an HMAC-SHA-256.

    Raises: ValueError for a secret that `decode_secret` refuses.
    """
    signed = f"{message_id}.{sent_at}.".encode() + content
    digest = hmac.digest(decode_secret(secret), signed, hashlib.sha256)
    return f"v1,{b64encode(digest).decode()}"


def decode_secret(secret: str) -> bytes:
    """Return the bytes of a secret, which is `whsec_` and Base64. Raises: ValueError for others."""
    if not secret.startswith(SECRET_PREFIX):
        raise ValueError("its secret does not begin with whsec_")
    try:
        return b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
    except NotBase64:
        raise ValueError("its secret is not Base64 after whsec_") from None

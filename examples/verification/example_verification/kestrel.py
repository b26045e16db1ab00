"""Kestrel, an invented identity check: inquiries with a workflow state, and signed callbacks."""

import hashlib
import hmac
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

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

TOLERANCE_SECONDS = 300
OUTCOMES = {"approved": Outcome.PASS, "needs_review": Outcome.WARN, "declined": Outcome.FAIL}
UNFINISHED = {"created", "processing"}


class KestrelProvider:
    """Creates an inquiry about a person: POST /v2/inquiries with form fields."""

    needs: Mapping[Kind, tuple[str, ...]] = {
        Kind.IDENTITY: ("firstName", "lastName", "birthDate", "address")
    }

    def __init__(self, account: Account) -> None:
        self.account = account

    def ask(self, question: Question) -> Call:
        subject = question.subject
        address = subject.get("address", {})
        fields = {
            "external_ref": question.request_id,
            "given_name": subject.get("firstName", ""),
            "family_name": subject.get("lastName", ""),
            "dob": subject.get("birthDate", ""),
            "zip": address.get("postalCode", ""),
            "notify_url": question.callback_url,
        }
        headers = {
            **self._key(),
            "Content-Type": "application/x-www-form-urlencoded",
            "X-Idempotency-Key": question.request_id,
        }
        return Call("POST", "/v2/inquiries", headers, urlencode(fields).encode())

    def poll(self, question: Question, reference: str) -> Call | None:
        return Call("GET", f"/v2/inquiries/{reference}", self._key()) if reference else None

    def read_reply(self, question: Question, reply: Reply) -> Result | Pending:
        require_success(reply)
        request_id, result = read_inquiry(parse_object(reply.content))
        if request_id != question.request_id:
            raise Unusable("the inquiry is about another request")
        return result

    def read_callback(
        self, headers: Mapping[str, str], content: bytes, *, at: datetime
    ) -> tuple[str, Result | Pending]:
        signature = headers.get("kestrel-signature", "").split(",")
        parts = dict(part.partition("=")[::2] for part in signature)
        sent_at = parts.get("t", "")
        if not sent_at.isascii() or not sent_at.isdecimal() or len(sent_at) > 12:
            raise WrongSignature
        if abs(at.timestamp() - int(sent_at)) > TOLERANCE_SECONDS:
            raise WrongSignature
        signed = f"{sent_at}.".encode() + content
        expected = hmac.new(self.account.secret.encode(), signed, hashlib.sha256).hexdigest()
        given = parts.get("s", "").encode(errors="replace")
        if not hmac.compare_digest(expected.encode(), given):
            raise WrongSignature
        return read_inquiry(parse_object(content))

    def _key(self) -> dict[str, str]:
        return {"Kestrel-Key": self.account.token}


def read_inquiry(inquiry: Mapping[str, Any]) -> tuple[str, Result | Pending]:
    """Return request id and result of an inquiry, which is Pending while the inquiry is unfinished.

    Raises: Unusable.
    """
    request_id, reference = read_text(inquiry, "external_ref"), read_text(inquiry, "id")
    state = read_text(inquiry, "state")
    if state in UNFINISHED:
        return request_id, Pending(reference)
    if state not in OUTCOMES:
        raise Unusable("the state of the inquiry is not known")
    flags = inquiry.get("flags", [])
    if not isinstance(flags, list):
        raise Unusable("the flags are no list")
    reasons = tuple(str(flag).upper().replace("-", "_") for flag in flags)
    return request_id, Result(OUTCOMES[state], reference, reasons)

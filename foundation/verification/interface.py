"""The interface between the bank and an adapter of a verification provider.

An adapter writes and reads messages. It opens no connection: the bank sends its calls through the
pinned HTTP client, with limits of size and time, and repeats them with the same idempotency key.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, Protocol

CODE: Final = re.compile(r"[A-Z][A-Z0-9_]{0,39}")
REFERENCE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]{0,99}")
MAX_REASONS: Final = 10


class Kind(StrEnum):
    """The kind of a verification: the subject of the question to a provider."""

    IDENTITY = "IDENTITY"
    REGISTRY = "REGISTRY"
    ADDRESS = "ADDRESS"


class Outcome(StrEnum):
    """The outcome of a verification."""

    PASS = "PASS"  # noqa: S105 - no password
    WARN = "WARN"
    FAIL = "FAIL"


FIELDS: Final[Mapping[Kind, frozenset[str]]] = {  # values that a provider can be sent
    Kind.IDENTITY: frozenset(
        ["firstName", "lastName", "birthDate", "ssn", "address", "email", "phoneNumber"]
    ),
    Kind.REGISTRY: frozenset(
        [
            *("businessName", "ein", "businessType", "incorporationState", "incorporationDate"),
            *("duns", "businessAddress"),
        ]
    ),
    Kind.ADDRESS: frozenset(["businessName", "businessAddress"]),
}


@dataclass(frozen=True)
class Account:
    """The configuration of a provider. `token` and `secret` never reach a log or a page.

    `kinds` limits the kinds that the adapter answers; empty leaves all of them.
    """

    name: str
    adapter: str
    url: str
    token: str = field(default="", repr=False)
    secret: str = field(default="", repr=False)
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True)
class Question:
    """A request for a verification. `request_id` is its idempotency key in every attempt.

    `subject` has the fields that the adapter needs for the kind, without empty ones.
    """

    request_id: str
    kind: Kind
    subject: Mapping[str, Any] = field(repr=False)
    callback_url: str


@dataclass(frozen=True)
class Call:
    """An HTTP request to the provider, below the URL of its account."""

    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)


@dataclass(frozen=True)
class Reply:
    """A complete HTTP answer of the provider, of at most the size that the bank reads."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    content: bytes = field(repr=False)


@dataclass(frozen=True)
class Result:
    """The result of a verification. No free text of the provider is taken.

    Raises: Unusable if the reference or a reason, which is a code, has another form.
    """

    outcome: Outcome
    reference: str
    reasons: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not REFERENCE.fullmatch(self.reference):
            raise Unusable("the reference has another shape than agreed")
        if len(self.reasons) > MAX_REASONS or not all(map(CODE.fullmatch, self.reasons)):
            raise Unusable("the reasons are not at most ten codes in capitals")


@dataclass(frozen=True)
class Pending:
    """The answer of a provider that has the request and will have the result later.

    Raises: Unusable if the reference has another form.
    """

    reference: str = ""

    def __post_init__(self) -> None:
        if self.reference and not REFERENCE.fullmatch(self.reference):
            raise Unusable("the reference has another shape than agreed")


class Unusable(Exception):
    """The answer cannot be used; the call is repeated. The text holds nothing of the answer."""


class Rejected(Exception):
    """The provider refuses this request for good. The text holds nothing of the answer."""


class WrongSignature(Exception):
    """A callback is not signed by the provider, or was signed too long ago."""


class Provider(Protocol):
    """An adapter of a provider. Its class is an entry point; it is called with the account.

    `needs` has the kinds that it answers, each with the fields that it is sent.
    """

    needs: Mapping[Kind, tuple[str, ...]]

    def __init__(self, account: Account) -> None:
        """Take the account. Raises: ValueError, whose text the operator reads."""

    def ask(self, question: Question) -> Call:
        """Return the call that asks the question, with its idempotency key."""

    def read_reply(self, question: Question, reply: Reply) -> Result | Pending:
        """Read the answer to `ask` or `poll`. Raises: Unusable, Rejected."""

    def poll(self, question: Question, reference: str) -> Call | None:
        """Return the call that asks for a pending result; None if a callback brings it."""

    def read_callback(
        self, headers: Mapping[str, str], content: bytes, *, at: datetime
    ) -> tuple[str, Result | Pending]:
        """Return request id and result of a callback. Raises: WrongSignature, Unusable."""


def parse_object(content: bytes) -> dict[str, Any]:
    """Parse a JSON object. Raises: Unusable."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        raise Unusable("the answer is not JSON") from None
    if not isinstance(value, dict):
        raise Unusable("the answer is not a JSON object")
    return value


def read_text(value: Mapping[str, Any], name: str, default: str | None = None) -> str:
    """Return a text of a parsed object, `default` if it is missing.

    Raises: Unusable if it is not a text, or missing without a default.
    """
    text = value.get(name, default)
    if not isinstance(text, str):
        raise Unusable(f"the answer lacks the text {name}")
    return text


def require_success(reply: Reply) -> None:
    """Refuse answers without a result. Raises: Rejected for 400, 404, 409, 410, 413 and 422.

    Raises: Unusable for every other status but 2xx; redirects are not followed.
    """
    if 200 <= reply.status < 300:
        return
    if reply.status in {400, 404, 409, 410, 413, 422}:
        raise Rejected(f"the provider refused the request with {reply.status}")
    if 300 <= reply.status < 400:
        raise Unusable("redirects are not followed")
    raise Unusable(f"the provider answered {reply.status}")

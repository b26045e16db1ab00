"""A receiver of webhooks for developers: verifies signatures, counts, and can simulate failures."""

import hmac
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from standardwebhooks import Webhook, WebhookVerificationError

LOOPBACK = "127.0.0.1"
SOFTWARE = "vestibule-listen"  # the Server header of a running receiver
LONGEST_BODY = 1024**2  # bytes
SECONDS = 30  # the timeout of a request
POLL = 0.05  # seconds; the longest delay of `close`


@dataclass(frozen=True)
class Behaviour:
    """The receiver's responses: each `every`th verified request gets `status`, any other 204.

    With `every` = 0 none gets `status`. A request that is not verified gets 401. Each response
    comes after `hang` seconds.
    """

    status: int = 500
    every: int = 0
    hang: float = 0

    def answer(self, number: int) -> int:
        """Return the HTTP status for a request by its number, counted from 1."""
        return self.status if self.every and number % self.every == 0 else 204


@dataclass(frozen=True)
class Received:
    """A received delivery; `answered` is the HTTP status of the response.

    `repetition` is how often the same message came before. `missing` are the sequence numbers that
    this delivery skipped. `is_late` says that an earlier delivery skipped this one. These are 0,
    empty and False for a delivery that is not verified.
    """

    at: datetime
    message_id: str
    type: str
    sequence: int | None
    customer_id: str
    status: str
    is_verified: bool
    repetition: int
    missing: list[int]
    is_late: bool
    answered: int


@dataclass
class Ledger:
    """The verified deliveries: the count of each message, and the sequence numbers of each lead.

    Sequences before a lead's first received event are not missing.
    """

    times: dict[str, int] = field(default_factory=dict)
    last: dict[str, int] = field(default_factory=dict)
    missing: dict[str, set[int]] = field(default_factory=dict)

    def note(self, message_id: str, customer_id: str, sequence: int) -> tuple[int, list[int], bool]:
        """Record a verified event; return `repetition`, `missing` and `is_late` for `Received`."""
        repetition = self.times.get(message_id, 0)
        self.times[message_id] = repetition + 1
        last = self.last.setdefault(customer_id, sequence - 1)
        skipped = list(range(last + 1, sequence))
        missing = self.missing.setdefault(customer_id, set())
        is_late = sequence in missing
        missing.update(skipped)
        missing.discard(sequence)
        self.last[customer_id] = max(last, sequence)
        return repetition, skipped, is_late


class Receiver:
    """An HTTP server on 127.0.0.1 that calls `report` with each delivery, one at a time."""

    def __init__(
        self, *, port: int, behaviour: Behaviour, report: Callable[[Received], None]
    ) -> None:
        self._server = ThreadingHTTPServer((LOOPBACK, port), _handler_of(self))
        self._behaviour, self._report = behaviour, report
        self._ledger, self._lock, self._count = Ledger(), threading.Lock(), 0
        self._is_served = False

    @property
    def url(self) -> str:
        """Return the URL of the receiver."""
        return f"http://{LOOPBACK}:{self._server.server_port}/"

    def start(self, *, signing_secret: str, token: str) -> None:
        """Begin to answer, in a thread; earlier requests have waited in the socket's queue."""
        self._verifier, self._token = Webhook(signing_secret), token
        serve = self._server.serve_forever
        threading.Thread(target=serve, args=(POLL,), daemon=True).start()
        self._is_served = True

    def close(self) -> None:
        """Stop answering requests and close the socket."""
        if self._is_served:
            self._server.shutdown()
        self._server.server_close()

    def receive(self, content: bytes, headers: dict[str, str]) -> int:
        """Report a delivery and return the HTTP status of the response, 401 if not verified."""
        at = datetime.now(UTC)
        if self._behaviour.hang:
            time.sleep(self._behaviour.hang)
        body, is_verified = _parse(content), self._verify(content, headers)
        with self._lock:
            self._count += is_verified
            answered = self._behaviour.answer(self._count) if is_verified else 401
            received = self._describe(
                body, headers, at=at, is_verified=is_verified, answered=answered
            )
            self._report(received)
        return answered

    def _verify(self, content: bytes, headers: dict[str, str]) -> bool:
        sent = headers.get("authorization", "")
        if not hmac.compare_digest(sent.encode(), f"Bearer {self._token}".encode()):
            return False
        try:
            self._verifier.verify(content, headers, json_parse=False)
        except (WebhookVerificationError, ValueError):
            return False
        return True

    def _describe(
        self, body: dict[str, Any], headers: dict[str, str], *, is_verified: bool, **known: Any
    ) -> Received:
        data, sequence = _object(body.get("data")), body.get("sequence")
        message_id = headers.get("webhook-id", "")
        customer_id = str(data.get("customerId", ""))
        repetition, missing, is_late = 0, list[int](), False
        if is_verified and isinstance(sequence, int):
            repetition, missing, is_late = self._ledger.note(message_id, customer_id, sequence)
        return Received(
            message_id=message_id,
            type=str(body.get("type", "")),
            sequence=sequence,
            customer_id=customer_id,
            status=str(data.get("status", "")),
            is_verified=is_verified,
            repetition=repetition,
            missing=missing,
            is_late=is_late,
            **known,
        )


def _handler_of(receiver: Receiver) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        server_version, sys_version = SOFTWARE, ""
        timeout = SECONDS

        def do_GET(self) -> None:
            self._answer(204)

        def do_POST(self) -> None:
            length = self.headers.get("Content-Length", "")
            if not length.isdecimal() or int(length) > LONGEST_BODY:
                self.close_connection = True
                self._answer(413)
                return
            headers = {name.lower(): value for name, value in self.headers.items()}
            self._answer(receiver.receive(self.rfile.read(int(length)), headers))

        def _answer(self, status: int) -> None:
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_words: Any) -> None:
            """Log nothing: each delivery is already reported."""

    return Handler


def _parse(content: bytes) -> dict[str, Any]:
    try:
        return _object(json.loads(content))
    except ValueError:
        return {}


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}

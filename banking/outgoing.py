"""The one client for requests that leave the house: pinned, bounded, and it trusts nobody."""

import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse, IncompleteRead
from time import monotonic
from types import MappingProxyType
from typing import Final

from django.conf import settings
from urllib3 import HTTPHeaderDict

from banking import connections, targets
from banking.connections import Connection, Line, Unconnected, UnconnectedInTime, Way
from banking.targets import AddressRefused, Target

__all__ = ["AddressRefused", "Answer", "Line", "Unreachable", "call", "check_url"]

NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
PIECE = 64 * 1024
REASONS: Final[list[tuple[type[BaseException], str]]] = [  # the first that fits tells most
    (socket.gaierror, "name does not resolve"),
    (ssl.SSLCertVerificationError, "TLS: certificate: {0.verify_message}"),
    (ssl.SSLError, "TLS: no agreement with the server"),
    (ConnectionRefusedError, "connection refused"),
    (UnconnectedInTime, "no connection within {1:g} s"),
    (Unconnected, "the address cannot be reached"),
    (TimeoutError, "timed out after {1:g} s"),
    (ConnectionError, "connection closed without a whole answer"),
    (HTTPException, "the answer is not HTTP, or not whole"),
]
LONGEST_REASON = 200
FAILURES: Final = (HTTPException, OSError)
HUNG_UP: Final = (ConnectionError, ssl.SSLEOFError, ssl.SSLZeroReturnError)


@dataclass(frozen=True)
class Answer:
    """What a server said.

    Shape: header names are found in any case; the content is as it was sent, never unpacked;
    `is_cut` if there was, or may have been, more of it.
    """

    status: int
    headers: Mapping[str, str]
    content: bytes
    is_cut: bool
    duration_ms: int
    address: str


class Unreachable(Exception):
    """No whole answer came; the reason is short, tells no secret, and may be shown to anybody."""

    def __init__(self, reason: str, duration_ms: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.duration_ms = duration_ms


def check_url(url: str, *, allow_loopback: bool) -> None:
    """Refuse a URL that `call` would refuse without looking its host up.

    Raises: AddressRefused with a reason that a partner may read.
    """
    _parse(url, allow_loopback)


def call(
    method: str,
    url: str,
    *,
    headers: Mapping[str, str] = NOTHING,
    body: bytes = b"",
    connect_seconds: float,
    seconds: float,
    max_bytes: int,
    allow_loopback: bool,
    reads_all: bool = True,
    into: Callable[[bytes], object] | None = None,
    line: Line | None = None,
) -> Answer:
    """Send one request to an address that was checked, within `seconds` on the wall clock.

    Every address of the host must be public, or loopback where that is allowed. Redirects are
    answers like any other. With `into` the content goes there, a piece at a time. Where not
    `reads_all`, the status is what counts: a body that does not end is cut. With a `line` the
    connection is kept for the next call; one that the server closed meanwhile is replaced and the
    request sent again, so it must be one that may arrive twice.
    Units: seconds, of which `connect_seconds` at most until there is a connection; bytes.
    Raises: AddressRefused, Unreachable.
    """
    if not settings.OUTBOUND:
        raise Unreachable("OUTBOUND is off", 0)
    began = monotonic()
    target = _parse(url, allow_loopback)
    way = Way(target, began + seconds, connect_seconds, allow_loopback)
    request = _Request(method, target, headers, body, is_last=line is None)
    content = bytearray()
    try:
        connection, response = _exchange(request, way, line)
        try:
            is_cut = _read(response, into or content.extend, max_bytes, reads_all)
        finally:
            _finish(connection, response, line)
    except FAILURES as exc:
        duration_ms = _milliseconds(began)
        raise Unreachable(_reason(exc, duration_ms), duration_ms) from exc
    return Answer(
        status=response.status,
        headers=HTTPHeaderDict(response.headers.items()),
        content=bytes(content),
        is_cut=is_cut,
        duration_ms=_milliseconds(began),
        address=connection.address,
    )


@lru_cache(maxsize=1024)
def _parse(url: str, allow_loopback: bool) -> Target:
    return targets.parse(url, allow_loopback=allow_loopback)


@dataclass(frozen=True)
class _Request:
    """What is sent, whichever connection it takes; `is_last` closes that."""

    method: str
    target: Target
    headers: Mapping[str, str]
    body: bytes
    is_last: bool

    def send(self, connection: Connection, way: Way) -> HTTPResponse:
        """Return the answer, of which the head was read. Raises: OSError, HTTPException."""
        connection.sock.settimeout(way.left)
        headers = {
            "Host": self.target.host_header,
            "User-Agent": f"Vestibule/{settings.API_VERSION}",
            "Accept": "*/*",
            "Accept-Encoding": "identity",  # what is small must not unpack
            "Connection": "close" if self.is_last else "keep-alive",
            **self.headers,
        }
        connection.request(self.method, self.target.path, self.body or None, headers)
        connection.sock.settimeout(way.left)
        return connection.getresponse()


def _exchange(request: _Request, way: Way, line: Line | None) -> tuple[Connection, HTTPResponse]:
    """Return the answer and the connection it came on. Raises: AddressRefused, OSError."""
    kept = line.take(way.target) if line else None
    if kept:
        try:
            return kept, _send(request, kept, way)
        except HUNG_UP:
            pass  # it was closed between two requests, or at this one: nobody can tell
    connection = connections.connect(way)
    return connection, _send(request, connection, way)


def _send(request: _Request, connection: Connection, way: Way) -> HTTPResponse:
    try:
        return request.send(connection, way)
    except BaseException:
        connection.close()
        raise


def _finish(connection: Connection, response: HTTPResponse, line: Line | None) -> None:
    """Keep the connection if nothing of the answer is left on it; else close.

    After a hint, such as 103, the answer itself is still to come: the next call must not get it.
    """
    is_final = response.status >= HTTPStatus.OK
    is_whole = is_final and (response.isclosed() or response.length == 0)
    response.close()
    if line and is_whole and not response.will_close:
        line.keep(connection)
    else:
        connection.close()


def _read(
    response: HTTPResponse, write: Callable[[bytes], object], max_bytes: int, reads_all: bool
) -> bool:
    """Write at most `max_bytes` of the body; return whether there was more."""
    left = max_bytes
    try:
        while piece := response.read1(min(PIECE, left + 1)):
            write(piece[:left])
            left -= len(piece)
            if left < 0:
                return True
        if response.length:
            raise IncompleteRead(b"", response.length)
    except (HTTPException, OSError):
        if reads_all:
            raise
        return True
    return False


def _reason(exc: Exception, duration_ms: int) -> str:
    """Say in a few words why there is no answer; nothing that the server wrote is repeated."""
    causes = list(_causes(exc))
    for kind, words in REASONS:
        for cause in causes:
            if isinstance(cause, kind):
                return words.format(cause, round(duration_ms / 1000, 1))[:LONGEST_REASON]
    return "the connection failed"


def _causes(exc: BaseException) -> Iterator[BaseException]:
    """Yield an error and what led to it."""
    cause: BaseException | None = exc
    while cause:
        yield cause
        cause = cause.__cause__


def _milliseconds(began: float) -> int:
    return round((monotonic() - began) * 1000)

"""Send HTTP requests to URLs chosen by others: to pinned addresses, within a deadline.

Every address of the host is checked, and the connection goes to a checked address, so a second
look-up of the name cannot lead elsewhere. Redirects are not followed.
"""

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

from foundation.outbound import connection_pool, targets
from foundation.outbound.connection_pool import (
    ConnectError,
    Connection,
    ConnectTimeout,
    KeptConnection,
    Route,
)
from foundation.outbound.targets import AddressRefused, Target

__all__ = [
    "AddressRefused",
    "KeptConnection",
    "RequestFailed",
    "Response",
    "check_url",
    "send_request",
]

NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})
CHUNK_BYTES = 64 * 1024
REASONS: Final[list[tuple[type[BaseException], str]]] = [  # in order of precision
    (socket.gaierror, "name does not resolve"),
    (ssl.SSLCertVerificationError, "TLS: certificate: {0.verify_message}"),
    (ssl.SSLError, "TLS: no agreement with the server"),
    (ConnectionRefusedError, "connection refused"),
    (ConnectTimeout, "no connection within {1:g} s"),
    (ConnectError, "the address cannot be reached"),
    (TimeoutError, "timed out after {1:g} s"),
    (ConnectionError, "connection closed without a whole answer"),
    (HTTPException, "the answer is not HTTP, or not whole"),
]
MAX_REASON_LENGTH = 200
FAILURES: Final = (HTTPException, OSError)
CONNECTION_CLOSED: Final = (ConnectionError, ssl.SSLEOFError, ssl.SSLZeroReturnError)


@dataclass(frozen=True)
class Response:
    """The response of a server.

    Shape: header names are case-insensitive; `content` is as it was sent, never decompressed;
    `is_cut` if the server sent, or may have sent, more content.
    """

    status: int
    headers: Mapping[str, str]
    content: bytes
    is_cut: bool
    duration_ms: int
    address: str


class RequestFailed(Exception):
    """No complete response arrived. The reason is short, holds no secret, and may be shown."""

    def __init__(self, reason: str, duration_ms: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.duration_ms = duration_ms


def check_url(url: str, *, allow_loopback: bool) -> None:
    """Refuse a URL that `send_request` would refuse before it resolves the host.

    Raises: AddressRefused with a reason that a partner may read.
    """
    _parse(url, allow_loopback)


def send_request(
    method: str,
    url: str,
    *,
    headers: Mapping[str, str] = NO_HEADERS,
    body: bytes = b"",
    connect_seconds: float,
    seconds: float,
    max_bytes: int,
    allow_loopback: bool,
    reads_all: bool = True,
    into: Callable[[bytes], object] | None = None,
    kept: KeptConnection | None = None,
) -> Response:
    """Send one request to a checked address, within `seconds` of wall-clock time.

    Every address of the host must be public, or loopback where that is allowed. A redirect is
    returned like any other response. Content is cut after `max_bytes`. With `into`, chunks of
    content go to that callable, and the response has none. Without `reads_all` only the status
    matters: a body that does not end in time is cut. With `kept` the connection is reused for the
    next request. If the server has closed it meanwhile, the request is sent again on a new one, so
    it must be safe to send twice.
    Units: seconds, of which at most `connect_seconds` to connect; bytes.
    Raises: AddressRefused; RequestFailed, also if OUTBOUND is off.
    """
    if not settings.OUTBOUND:
        raise RequestFailed("OUTBOUND is off", 0)
    started_at = monotonic()
    target = _parse(url, allow_loopback)
    route = Route(target, started_at + seconds, connect_seconds, allow_loopback)
    request = _Request(method, target, headers, body, closes=kept is None)
    content = bytearray()
    try:
        connection, response = _exchange(request, route, kept)
        try:
            is_cut = _read(response, into or content.extend, max_bytes, reads_all)
        finally:
            _finish(connection, response, kept)
    except FAILURES as exc:
        duration_ms = _milliseconds_since(started_at)
        raise RequestFailed(_reason(exc, duration_ms), duration_ms) from exc
    return Response(
        status=response.status,
        headers=HTTPHeaderDict(response.headers.items()),
        content=bytes(content),
        is_cut=is_cut,
        duration_ms=_milliseconds_since(started_at),
        address=connection.address,
    )


@lru_cache(maxsize=1024)
def _parse(url: str, allow_loopback: bool) -> Target:
    return targets.parse(url, allow_loopback=allow_loopback)


@dataclass(frozen=True)
class _Request:
    """A request; with `closes` it asks the server to close the connection after the response."""

    method: str
    target: Target
    headers: Mapping[str, str]
    body: bytes
    closes: bool

    def send(self, connection: Connection, route: Route) -> HTTPResponse:
        """Send the request and return the response, of which only the head was read.

        Raises: OSError, HTTPException.
        """
        connection.sock.settimeout(route.seconds_left)
        headers = {
            "Host": self.target.host_header,
            "User-Agent": f"Vestibule/{settings.API_VERSION}",
            "Accept": "*/*",
            "Accept-Encoding": "identity",  # compressed content could expand without limit
            "Connection": "close" if self.closes else "keep-alive",
            **self.headers,
        }
        connection.request(self.method, self.target.path, self.body or None, headers)
        connection.sock.settimeout(route.seconds_left)
        return connection.getresponse()


def _exchange(
    request: _Request, route: Route, kept: KeptConnection | None
) -> tuple[Connection, HTTPResponse]:
    """Return the response and its connection. Raises: AddressRefused, OSError, HTTPException."""
    reused = kept.take(route.target) if kept else None
    if reused:
        try:
            return reused, _send(request, reused, route)
        except CONNECTION_CLOSED:
            pass  # closed before this request or because of it: nobody can tell
    connection = connection_pool.connect(route)
    return connection, _send(request, connection, route)


def _send(request: _Request, connection: Connection, route: Route) -> HTTPResponse:
    try:
        return request.send(connection, route)
    except BaseException:
        connection.close()
        raise


def _finish(connection: Connection, response: HTTPResponse, kept: KeptConnection | None) -> None:
    """Keep the connection if the response was read completely; close it otherwise.

    After an informational status, such as 103, the final response is still to come: the next
    request must not read it.
    """
    is_final = response.status >= HTTPStatus.OK
    is_whole = is_final and (response.isclosed() or response.length == 0)
    response.close()
    if kept and is_whole and not response.will_close:
        kept.keep(connection)
    else:
        connection.close()


def _read(
    response: HTTPResponse, write: Callable[[bytes], object], max_bytes: int, reads_all: bool
) -> bool:
    """Write at most `max_bytes` of the body. Return whether it was cut.

    A body is cut if it is longer or, without `reads_all`, if it breaks off.
    Raises: OSError, HTTPException if it breaks off and `reads_all`.
    """
    left = max_bytes
    try:
        while chunk := response.read1(min(CHUNK_BYTES, left + 1)):
            write(chunk[:left])
            left -= len(chunk)
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
    """Return in a few words why there is no response, without any text of the server."""
    causes = list(_causes(exc))
    for kind, words in REASONS:
        for cause in causes:
            if isinstance(cause, kind):
                return words.format(cause, round(duration_ms / 1000, 1))[:MAX_REASON_LENGTH]
    return "the connection failed"


def _causes(exc: BaseException) -> Iterator[BaseException]:
    """Yield an exception and its chain of causes."""
    cause: BaseException | None = exc
    while cause:
        yield cause
        cause = cause.__cause__


def _milliseconds_since(started_at: float) -> int:
    return round((monotonic() - started_at) * 1000)

"""TCP and TLS connections to checked IP addresses, with a deadline for each step."""

import io
import socket
import ssl
from dataclasses import dataclass
from functools import cache
from http.client import HTTPConnection, HTTPResponse
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any, Final

import certifi
from urllib3.util.wait import wait_for_read

from foundation.outbound import targets
from foundation.outbound.targets import Target

MAX_ADDRESSES = 4  # of one host that are tried
MAX_AGE_SECONDS: Final = 30.0  # then the name is resolved and its addresses are checked again


class ConnectError(OSError):
    """No address of the host accepted a connection."""


class ConnectTimeout(ConnectError):
    """No address of the host accepted a connection in time."""


@dataclass(frozen=True)
class Route:
    """A target, and how it may be reached: its deadline, time to connect, and whether by loopback.

    Units: seconds; `deadline` is a time of the monotonic clock.
    """

    target: Target
    deadline: float
    connect_seconds: float
    allow_loopback: bool

    @property
    def seconds_left(self) -> float:
        """Return the seconds until the deadline, never 0: a timeout of 0 would mean no timeout."""
        return max(self.deadline - monotonic(), 0.001)


class _DeadlineReader(io.RawIOBase):
    """A reader of a socket that raises TimeoutError at a deadline, even while bytes arrive."""

    def __init__(self, sock: socket.socket, stream: io.RawIOBase) -> None:
        self._sock = sock
        self._stream = stream
        self._deadline = monotonic() + (sock.gettimeout() or 0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._deadline - monotonic()
        if left <= 0:
            raise TimeoutError
        self._sock.settimeout(left)
        return self._stream.readinto(buffer)

    def close(self) -> None:
        self._stream.close()
        super().close()


class _Response(HTTPResponse):
    """A response whose head and body are read before the deadline, or fail with TimeoutError."""

    def __init__(self, sock: socket.socket, *args: Any, **kwargs: Any) -> None:
        super().__init__(sock, *args, **kwargs)
        self.fp = io.BufferedReader(_DeadlineReader(sock, self.fp.detach()))


class Connection(HTTPConnection):
    """A connection to one IP address that names the target's host in requests and in TLS."""

    response_class = _Response

    def __init__(self, route: Route, address: str, seconds: float) -> None:
        super().__init__(route.target.host, route.target.port, timeout=seconds)
        self.target = route.target
        self.address = address
        self.created_at = monotonic()
        self._allow_loopback = route.allow_loopback

    def connect(self) -> None:
        """Check the address once more and connect within the timeout, TLS handshake included.

        Raises: AddressRefused, OSError.
        """
        deadline = monotonic() + (self.timeout or 0)
        targets.check_address(self.target, self.address, allow_loopback=self._allow_loopback)
        try:
            self.sock = socket.create_connection((self.address, self.target.port), self.timeout)
        except TimeoutError as exc:
            raise ConnectTimeout from exc
        except OSError as exc:
            raise ConnectError from exc
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if not self.target.is_plain:
            self.sock.settimeout(max(deadline - monotonic(), 0.001))
            context = _tls_context()
            self.sock = context.wrap_socket(self.sock, server_hostname=self.target.host)

    @property
    def is_reusable(self) -> bool:
        """Return whether the idle socket has no unread data or EOF."""
        if isinstance(self.sock, ssl.SSLSocket) and self.sock.pending():
            return False
        return not wait_for_read(self.sock, timeout=0)


class KeptConnection:
    """A connection that one thread reuses for several requests. A context manager that closes it.

    It serves one origin at a time, for MAX_AGE_SECONDS at most, and only while the server neither
    closes it nor sends data without a request.
    """

    def __init__(self) -> None:
        self._kept: Connection | None = None

    def __enter__(self) -> "KeptConnection":
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def take(self, target: Target) -> Connection | None:
        """Take the connection out if it can serve the target. Close any other and return None."""
        kept, self._kept = self._kept, None
        if kept is None:
            return None
        is_fresh = monotonic() < kept.created_at + MAX_AGE_SECONDS
        if is_fresh and kept.target.origin == target.origin and kept.is_reusable:
            return kept
        kept.close()
        return None

    def keep(self, connection: Connection) -> None:
        """Keep a connection whose last response was read to its end."""
        self._kept = connection

    def close(self) -> None:
        """Close the kept connection, if there is one."""
        if self._kept:
            self._kept.close()
            self._kept = None


def connect(route: Route) -> Connection:
    """Connect to the first address of a host that accepts a connection.

    Every address is checked before the first is tried. Raises: AddressRefused, OSError.
    """
    addresses = _resolve(route)
    connect_deadline = min(route.deadline, monotonic() + route.connect_seconds)
    for place, address in enumerate(addresses):
        share = (connect_deadline - monotonic()) / (len(addresses) - place)
        connection = Connection(route, address, max(share, 0.001))
        try:
            connection.connect()
        except BaseException as exc:
            connection.close()
            is_last = place == len(addresses) - 1
            if is_last or not isinstance(exc, ConnectError):
                raise
        else:
            return connection
    raise AssertionError("a host has an address")


def _resolve(route: Route) -> list[str]:
    """Return the first MAX_ADDRESSES addresses of the host, after all of them were checked.

    Raises: AddressRefused, OSError.
    """
    target = route.target
    if target.address:
        return [str(target.address)]  # `parse` has checked it
    found = _look_up(target.host, target.port, route.deadline - monotonic())
    for address in found:
        targets.check_address(target, address, allow_loopback=route.allow_loopback)
    return found[:MAX_ADDRESSES]


def _look_up(host: str, port: int, seconds: float) -> list[str]:
    """Return the distinct addresses of a name within `seconds`. Raises: OSError.

    `getaddrinfo` takes no timeout, so a thread calls it. A thread that waits longer is abandoned.
    """
    answers: SimpleQueue[list[Any] | OSError] = SimpleQueue()

    def ask() -> None:
        try:
            answers.put(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except OSError as exc:
            answers.put(exc)

    Thread(target=ask, daemon=True).start()
    try:
        found = answers.get(timeout=max(seconds, 0))
    except Empty:
        raise socket.gaierror("no answer in time") from None
    if isinstance(found, OSError):
        raise found
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


@cache
def _tls_context() -> ssl.SSLContext:
    """Return the TLS context of all connections. It is cached, since it reads a large file."""
    return ssl.create_default_context(cafile=certifi.where())

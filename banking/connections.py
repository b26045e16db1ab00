"""Connections that leave the house: each pinned to an address that was checked, and in time."""

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

from requests.utils import DEFAULT_CA_BUNDLE_PATH
from requests_hardened.ip_filter import InvalidIPAddress, filter_host
from urllib3.util.wait import wait_for_read

from banking import targets
from banking.targets import AddressRefused, Target

MOST_ADDRESSES = 4  # of one host that are tried
KEPT_SECONDS: Final = 30.0  # then the name is looked up and checked anew


class Unconnected(OSError):
    """Nobody took the connection."""


class UnconnectedInTime(Unconnected):
    """Nobody took the connection in the time that there was."""


@dataclass(frozen=True)
class Way:
    """Whom to reach until when, in seconds of the clock that only goes forward."""

    target: Target
    until: float
    connect_seconds: float
    allow_loopback: bool

    @property
    def left(self) -> float:
        """Return the seconds that are left; none would mean for ever."""
        return max(self.until - monotonic(), 0.001)


class _Timed(io.RawIOBase):
    """What a socket receives in the time that it has from now on, however slowly it comes."""

    def __init__(self, sock: socket.socket, stream: io.RawIOBase) -> None:
        self._sock = sock
        self._stream = stream
        self._until = monotonic() + (sock.gettimeout() or 0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._until - monotonic()
        if left <= 0:
            raise TimeoutError
        self._sock.settimeout(left)
        return self._stream.readinto(buffer)

    def close(self) -> None:
        self._stream.close()
        super().close()


class _Response(HTTPResponse):
    """An answer whose head and body come in time, or not at all."""

    def __init__(self, sock: socket.socket, *args: Any, **kwargs: Any) -> None:
        super().__init__(sock, *args, **kwargs)
        self.fp = io.BufferedReader(_Timed(sock, self.fp.detach()))


class Connection(HTTPConnection):
    """A connection to one address, once more checked, that speaks of the host's name."""

    response_class = _Response

    def __init__(self, way: Way, address: str, seconds: float) -> None:
        super().__init__(way.target.host, way.target.port, timeout=seconds)
        self.target = way.target
        self.address = address
        self.began = monotonic()
        self._allow_loopback = way.allow_loopback

    def connect(self) -> None:
        """Connect within the timeout, TLS included. Raises: AddressRefused, OSError."""
        until = monotonic() + (self.timeout or 0)
        port = self.target.port
        try:
            filter_host(self.address, port, allow_loopback=self._allow_loopback)
        except InvalidIPAddress:
            raise AddressRefused("the host is not at a public address") from None
        try:
            self.sock = socket.create_connection((self.address, port), self.timeout)
        except TimeoutError as exc:
            raise UnconnectedInTime from exc
        except OSError as exc:
            raise Unconnected from exc
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if not self.target.is_plain:
            self.sock.settimeout(max(until - monotonic(), 0.001))
            context = _authorities()
            self.sock = context.wrap_socket(self.sock, server_hostname=self.target.host)

    @property
    def is_silent(self) -> bool:
        """Say whether the other side said nothing since its last answer, not even farewell."""
        if isinstance(self.sock, ssl.SSLSocket) and self.sock.pending():
            return False
        return not wait_for_read(self.sock, timeout=0)


class Line:
    """The connection that one thread keeps between two calls; closed when the block ends.

    It serves one scheme, host and port at a time, for KEPT_SECONDS at most, and only as long as
    the other side neither closes it nor says anything unasked.
    """

    def __init__(self) -> None:
        self._kept: Connection | None = None

    def __enter__(self) -> "Line":
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def take(self, target: Target) -> Connection | None:
        """Return the connection, which is kept no more, if it leads to the target; else close."""
        kept, self._kept = self._kept, None
        if kept is None:
            return None
        is_fresh = monotonic() < kept.began + KEPT_SECONDS
        if is_fresh and kept.target.origin == target.origin and kept.is_silent:
            return kept
        kept.close()
        return None

    def keep(self, connection: Connection) -> None:
        """Keep a connection whose last answer was read to its end."""
        self._kept = connection

    def close(self) -> None:
        """Close what is kept."""
        if self._kept:
            self._kept.close()
            self._kept = None


def connect(way: Way) -> Connection:
    """Return a connection to the first address of a host that takes one.

    Every address is checked before the first is tried. Raises: AddressRefused, OSError.
    """
    addresses = _resolve(way)
    connected_by = min(way.until, monotonic() + way.connect_seconds)
    for place, address in enumerate(addresses):
        share = (connected_by - monotonic()) / (len(addresses) - place)
        connection = Connection(way, address, max(share, 0.001))
        try:
            connection.connect()
        except BaseException as exc:
            connection.close()
            is_last = place == len(addresses) - 1
            if is_last or not isinstance(exc, Unconnected):
                raise
        else:
            return connection
    raise AssertionError("a host has an address")


def _resolve(way: Way) -> list[str]:
    """Return the addresses of the host, all of them checked."""
    target = way.target
    if target.address:
        return [str(target.address)]  # checked with the URL
    found = _look_up(target.host, target.port, way.until - monotonic())
    for address in found:
        targets.check_address(target, address, allow_loopback=way.allow_loopback)
    return found[:MOST_ADDRESSES]


def _look_up(host: str, port: int, seconds: float) -> list[str]:
    """Return the addresses of a name, each once. Raises: OSError, within the time given.

    The resolver has no deadline; a thread that waits for it longer is left to itself.
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
def _authorities() -> ssl.SSLContext:
    """Return the context of all connections: to read the authorities takes 15 ms."""
    return ssl.create_default_context(cafile=DEFAULT_CA_BUNDLE_PATH)

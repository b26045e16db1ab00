"""The one client for requests that leave the house: pinned, bounded, and it trusts nobody."""

import io
import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from http.client import HTTPException, HTTPResponse
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from types import MappingProxyType
from typing import Any, Final

import requests
from django.conf import settings
from requests import PreparedRequest
from requests.utils import DEFAULT_CA_BUNDLE_PATH
from requests_hardened import Config, HTTPSession
from requests_hardened.ip_filter_adapter import IPFilterAdapter
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, Timeout
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import ConnectTimeoutError, HTTPError, NewConnectionError
from urllib3.exceptions import TimeoutError as Urllib3TimeoutError

from banking import targets
from banking.targets import AddressRefused, Target

__all__ = ["AddressRefused", "Answer", "Unreachable", "call", "check_url"]

NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
MOST_ADDRESSES = 4  # of one host that are tried
PIECE = 64 * 1024
UNCONNECTED = (ConnectTimeoutError, NewConnectionError)
REASONS: Final[list[tuple[type[BaseException], str]]] = [  # the first that fits tells most
    (socket.gaierror, "name does not resolve"),
    (ssl.SSLCertVerificationError, "TLS: certificate: {0.verify_message}"),
    (ssl.SSLError, "TLS: no agreement with the server"),
    (ConnectionRefusedError, "connection refused"),
    (NewConnectionError, "the address cannot be reached"),
    (ConnectTimeoutError, "no connection within {1:g} s"),
    (Urllib3TimeoutError, "timed out after {1:g} s"),
    (TimeoutError, "timed out after {1:g} s"),
    (ConnectionError, "connection closed without a whole answer"),
    (HTTPException, "the answer is not HTTP, or not whole"),
]
LONGEST_REASON = 200


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
    targets.parse(url, allow_loopback=allow_loopback)


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
) -> Answer:
    """Send one request to an address that was checked, within `seconds` on the wall clock.

    Every address of the host must be public, or loopback where that is allowed. Redirects are
    answers like any other. With `into` the content goes there, a piece at a time. Where not
    `reads_all`, the status is what counts: a body that does not end is cut.
    Units: seconds, of which `connect_seconds` at most until there is a connection; bytes.
    Raises: AddressRefused, Unreachable.
    """
    began = monotonic()
    target = targets.parse(url, allow_loopback=allow_loopback)
    request = requests.Request(method, url, headers=dict(headers), data=body or None)
    exchange = _Exchange(target, request, began + seconds, connect_seconds, allow_loopback)
    content = bytearray()
    try:
        with exchange.open() as response:
            is_cut = _read(response, into or content.extend, max_bytes, reads_all)
    except (requests.RequestException, HTTPError, OSError) as exc:
        duration_ms = _milliseconds(began)
        raise Unreachable(_reason(exc, duration_ms), duration_ms) from exc
    return Answer(
        status=response.status_code,
        headers=response.headers,
        content=bytes(content),
        is_cut=is_cut,
        duration_ms=_milliseconds(began),
        address=exchange.address,
    )


@dataclass
class _Exchange:
    """One request on its way to the first address of its host that takes the connection."""

    target: Target
    request: requests.Request
    until: float
    connect_seconds: float
    allow_loopback: bool
    address: str = ""

    def open(self) -> requests.Response:
        """Return the answer, of which the head was read. Raises: AddressRefused, OSError."""
        addresses = self._resolve()
        connected_by = min(self.until, monotonic() + self.connect_seconds)
        for place, self.address in enumerate(addresses):
            share = (connected_by - monotonic()) / (len(addresses) - place)
            try:
                return self._send(max(share, 0.001))
            except requests.ConnectionError as exc:
                is_last = place == len(addresses) - 1
                if is_last or not any(isinstance(cause, UNCONNECTED) for cause in _causes(exc)):
                    raise
        raise AssertionError("a host has an address")

    def _resolve(self) -> list[str]:
        """Return the addresses of the host, all of them checked."""
        target = self.target
        if target.address:
            return [str(target.address)]  # checked with the URL
        found = _look_up(target.host, target.port, self.until - monotonic())
        for address in found:
            targets.check_address(target, address, allow_loopback=self.allow_loopback)
        return found[:MOST_ADDRESSES]

    def _send(self, connect_seconds: float) -> requests.Response:
        left = max(self.until - monotonic(), 0.001)
        with _Session(_config(left)) as session:
            session.trust_env = False  # no proxies, no netrc
            adapter = _Adapter(self.target, allow_loopback=self.allow_loopback)
            session.mount("https://", adapter)
            session.mount("http://", adapter)
            self.request.url = self.target.at(self.address)
            prepared = session.prepare_request(self.request)
            prepared.headers["Accept-Encoding"] = "identity"  # what is small must not unpack
            prepared.headers["Connection"] = "close"
            timeout = Timeout(connect=connect_seconds, total=left)
            return session.send(prepared, stream=True, timeout=timeout)


def _config(seconds: float) -> Config:
    return Config(
        ip_filter_enable=False,  # `_Adapter` is the filter
        ip_filter_allow_loopback_ips=False,
        never_redirect=True,
        default_timeout=(seconds, seconds),
        user_agent_override=f"Vestibule/{settings.API_VERSION}",
    )


class _Session(HTTPSession):
    """A session that looks at no redirect: `requests` would read its body to the end for that."""

    def get_redirect_target(self, resp: requests.Response) -> None:
        """Return nothing."""


class _Adapter(IPFilterAdapter):
    """Connects to the address in the URL, once more checked, and speaks of the host's name."""

    def __init__(self, target: Target, *, allow_loopback: bool) -> None:
        super().__init__(is_https_proto=not target.is_plain, allow_loopback=allow_loopback)
        self._target = target
        self.poolmanager.pool_classes_by_scheme = {"http": _PlainPool, "https": _TlsPool}

    def build_connection_pool_key_attributes(
        self, request: PreparedRequest, verify: Any, cert: Any = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Say where to connect to, and whose certificate to expect there."""
        host, pool = super().build_connection_pool_key_attributes(request, verify, cert)
        request.headers["Host"] = self._target.host_header
        if not self._target.is_plain:
            del pool["assert_hostname"]  # OpenSSL compares the name by itself
            pool.update(server_hostname=self._target.host, ssl_context=_authorities())
        return host, pool

    def cert_verify(self, conn: Any, url: str, verify: Any, cert: Any) -> None:
        """Load no authorities for each connection: the context has them, and demands them."""


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


class _PlainConnection(HTTPConnection):
    response_class = _Response


class _TlsConnection(HTTPSConnection):
    response_class = _Response


class _PlainPool(HTTPConnectionPool):
    ConnectionCls = _PlainConnection


class _TlsPool(HTTPSConnectionPool):
    ConnectionCls = _TlsConnection


@cache
def _authorities() -> ssl.SSLContext:
    """Return the context of all connections: to read the authorities takes 15 ms."""
    return ssl.create_default_context(cafile=DEFAULT_CA_BUNDLE_PATH)


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


def _read(
    response: requests.Response, write: Callable[[bytes], object], max_bytes: int, reads_all: bool
) -> bool:
    """Write at most `max_bytes` of the body; return whether there was more."""
    left = max_bytes
    try:
        while piece := response.raw.read1(min(PIECE, left + 1), decode_content=False):
            write(piece[:left])
            left -= len(piece)
            if left < 0:
                return True
    except (HTTPError, HTTPException, OSError):
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
    """Yield an error and what led to it, as the libraries have wrapped it."""
    seen: set[int] = set()
    waiting: list[Any] = [exc]
    while waiting:
        one = waiting.pop()
        if isinstance(one, BaseException) and id(one) not in seen:
            seen.add(id(one))
            yield one
            waiting += [*one.args, one.__context__, one.__cause__]


def _milliseconds(began: float) -> int:
    return round((monotonic() - began) * 1000)

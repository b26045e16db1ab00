"""Where the house may send requests: URLs, and the addresses that their hosts stand for."""

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final, NoReturn
from urllib.parse import urlsplit

from requests import PreparedRequest

PORTS: Final = {"https": 443, "http": 80}
LOOPBACK_NAME: Final = "localhost"
LONGEST_HOST: Final = 253
UNSAFE = re.compile(r"[\x00-\x20\x7f\\]")  # what two readers of one URL may read in two ways
LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")  # a host that ends so is an address, RFC 3696 section 2
GLOBAL_UNICAST = ip_network("2000::/3")
EXCLUDED: Final = [  # beside what Python knows to be special
    ip_network("192.0.0.0/24"),  # protocol assignments
    ip_network("192.88.99.0/24"),  # 6to4 relays
    ip_network("2001::/23"),  # protocol assignments, Teredo among them
    ip_network("2002::/16"),  # 6to4: an IPv4 address inside
    ip_network("3fff::/20"),  # documentation
]


class AddressRefused(Exception):
    """Nothing may be sent there; the text says why and may be shown to a partner."""


@dataclass(frozen=True)
class Target:
    """A URL taken apart: the host in ASCII, an IPv6 address without brackets."""

    scheme: str
    host: str
    port: int
    path: str
    address: IPv4Address | IPv6Address | None  # of a host that is written as one

    @property
    def is_plain(self) -> bool:
        """Say whether it is http."""
        return self.scheme == "http"

    @property
    def host_header(self) -> str:
        """Return what the Host header says."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> tuple[str, str, int]:
        """Return what two targets share that one connection can serve."""
        return self.scheme, self.host, self.port


def parse(url: str, *, allow_loopback: bool) -> Target:
    """Take a URL apart that may be called: https, or http to loopback where that is allowed.

    Raises: AddressRefused, for addresses written as such too; names are not looked up.
    """
    if UNSAFE.search(url):
        raise AddressRefused("the URL has spaces, control characters or backslashes in it")
    if not url.lower().startswith(("https://", "http://")):
        _refuse_scheme(allow_loopback)
    prepared = PreparedRequest()
    try:
        prepared.prepare_url(url, None)  # checked is what is sent: names in ASCII, paths quoted
        parts = urlsplit(prepared.url or "")
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise AddressRefused("it is not a valid URL") from None
    if "@" in parts.netloc:
        raise AddressRefused("the URL must not carry a user name or a password")
    host = host.removesuffix(".")
    address = _literal(host)
    path = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
    target = Target(parts.scheme, host, port or PORTS[parts.scheme], path, address)
    _check_host(target, allow_loopback=allow_loopback)
    return target


def check_address(target: Target, address: str, *, allow_loopback: bool) -> None:
    """Refuse an address that a host resolves to unless it is a public one, or allowed loopback.

    Raises: AddressRefused.
    """
    ip = ip_address(address)
    if ip.is_loopback and allow_loopback:
        return
    if not _is_public(ip):
        raise AddressRefused("the host is not at a public address")
    if target.is_plain:
        _refuse_scheme(allow_loopback)


def _check_host(target: Target, *, allow_loopback: bool) -> None:
    if target.address:
        check_address(target, str(target.address), allow_loopback=allow_loopback)
    elif target.host == LOOPBACK_NAME or target.host.endswith(f".{LOOPBACK_NAME}"):
        if not allow_loopback:
            raise AddressRefused("the host is not at a public address")
    elif target.is_plain:
        _refuse_scheme(allow_loopback)
    elif "." not in target.host:
        raise AddressRefused("the host must be a full name")


def _refuse_scheme(allow_loopback: bool) -> NoReturn:
    plain = ", or http to loopback" if allow_loopback else ""
    raise AddressRefused(f"it must begin with https://{plain}")


def _literal(host: str) -> IPv4Address | IPv6Address | None:
    """Return the address that a host is; None if it is a name. Raises: AddressRefused.

    Decimal, octal, hexadecimal and shortened addresses are refused: readers differ about them.
    """
    labels = host.split(".")
    try:
        if ":" in host and "%" not in host:
            return IPv6Address(host)
        if NUMBER.fullmatch(labels[-1]):
            return IPv4Address(host)
    except ValueError:
        raise AddressRefused("an address must be four decimal numbers or IPv6") from None
    if len(host) > LONGEST_HOST or not all(map(LABEL.fullmatch, labels)):
        raise AddressRefused("the host is not a valid name")
    return None


def _is_public(ip: IPv4Address | IPv6Address) -> bool:
    """Say whether an address is one of the public network, and hides none of another kind."""
    if any(ip in network for network in EXCLUDED) or ip.is_multicast or not ip.is_global:
        return False
    return ip.version == 4 or ip in GLOBAL_UNICAST

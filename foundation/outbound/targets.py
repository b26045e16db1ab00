"""Check URLs and IP addresses: requests go to public addresses, or to loopback if allowed."""

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final, NoReturn

from urllib3.exceptions import LocationParseError
from urllib3.util import parse_url

PORTS: Final = {"https": 443, "http": 80}
LOOPBACK_NAME: Final = "localhost"
MAX_HOST_LENGTH: Final = 253
UNSAFE = re.compile(r"[\x00-\x20\x7f\\]")  # characters that URL parsers treat differently
LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")  # a host that ends so is an address, RFC 3696 section 2
GLOBAL_UNICAST = ip_network("2000::/3")
EXCLUDED: Final = [  # in addition to the networks that `is_global` of `ipaddress` excludes
    ip_network("192.0.0.0/24"),  # protocol assignments
    ip_network("192.88.99.0/24"),  # 6to4 relays
    ip_network("2001::/23"),  # protocol assignments, Teredo among them
    ip_network("2002::/16"),  # 6to4: an IPv4 address inside
    ip_network("3fff::/20"),  # documentation
]


class AddressRefused(Exception):
    """The URL or address is not allowed. The text says why and may be shown to a partner."""


@dataclass(frozen=True)
class Target:
    """A parsed URL. The host is ASCII; an IPv6 address has no brackets."""

    scheme: str
    host: str
    port: int
    path: str
    address: IPv4Address | IPv6Address | None  # set if the URL has an address instead of a name

    @property
    def is_plain(self) -> bool:
        """Return whether the scheme is http."""
        return self.scheme == "http"

    @property
    def host_header(self) -> str:
        """Return the value of the Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> tuple[str, str, int]:
        """Return scheme, host and port: targets with the same origin can share a connection."""
        return self.scheme, self.host, self.port


def parse(url: str, *, allow_loopback: bool) -> Target:
    """Parse a URL: https, or http to loopback if that is allowed. Names are not resolved.

    Raises: AddressRefused, also for an IP address in the URL that is not allowed.
    """
    if UNSAFE.search(url):
        raise AddressRefused("the URL has spaces, control characters or backslashes in it")
    if not url.lower().startswith(("https://", "http://")):
        _refuse_scheme(allow_loopback)
    try:
        parts = parse_url(url)  # encodes names with IDNA and quotes paths, as they are sent
    except LocationParseError:
        raise AddressRefused("it is not a valid URL") from None
    if not parts.host:
        raise AddressRefused("it is not a valid URL")
    if parts.auth is not None:
        raise AddressRefused("the URL must not carry a user name or a password")
    scheme, host = parts.scheme or "", parts.host.strip("[]").removesuffix(".")
    address = _literal(host)
    path = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
    target = Target(scheme, host, parts.port or PORTS[scheme], path, address)
    _check_host(target, allow_loopback=allow_loopback)
    return target


def check_address(target: Target, address: str, *, allow_loopback: bool) -> None:
    """Refuse an address of a host unless it is public, or loopback if that is allowed.

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
    """Return the IP address in a URL, or None if the host is a name. Raises: AddressRefused.

    Decimal, octal, hexadecimal and shortened addresses are refused: parsers treat them
    differently.
    """
    labels = host.split(".")
    try:
        if ":" in host and "%" not in host:
            return IPv6Address(host)
        if NUMBER.fullmatch(labels[-1]):
            return IPv4Address(host)
    except ValueError:
        raise AddressRefused("an address must be four decimal numbers or IPv6") from None
    if len(host) > MAX_HOST_LENGTH or not all(map(LABEL.fullmatch, labels)):
        raise AddressRefused("the host is not a valid name")
    return None


def _is_public(ip: IPv4Address | IPv6Address) -> bool:
    """Return whether an address is public and does not embed an address that is not."""
    if any(ip in network for network in EXCLUDED) or ip.is_multicast or not ip.is_global:
        return False
    return ip.version == 4 or ip in GLOBAL_UNICAST

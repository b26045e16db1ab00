"""Validate redirect addresses, and recognize addresses on the user's own machine."""

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from django.conf import settings

LOOPBACK = {"127.0.0.1", "::1", "localhost"}
MAX_URIS = 20
MAX_LENGTH = 2000
LOOPBACK_PORT = re.compile(r"(http://(?:127\.0\.0\.1|\[::1\]|localhost))(?::[0-9]+)?(?=[/?]|\Z)")
MISLEADING = re.compile(r"[\\\s\x00-\x1f\x7f]")  # browsers take it for a slash, or drop it
AUTHORITY = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]*)(:[0-9]*)?")


class RedirectRefused(Exception):
    """A client must not register this redirect address; the text says why."""


def check(uris: Iterable[object]) -> None:
    """Refuse a client's redirect addresses if there are none or too many, or if one is not allowed.

    Allowed are https anywhere, http on the user's own computer, and the schemes of known programs.
    Raises: RedirectRefused.
    Source: RFC 8252, sections 7 and 8.3; RFC 9700, section 2.1.
    """
    uris = list(uris)
    if not 0 < len(uris) <= MAX_URIS:
        raise RedirectRefused(f"redirect_uris must hold 1 to {MAX_URIS} addresses")
    for uri in uris:
        if not isinstance(uri, str) or len(uri) > MAX_LENGTH or not uri.isprintable() or " " in uri:
            raise RedirectRefused("a redirect_uri must be an address without spaces")
        if not is_allowed(uri):
            raise RedirectRefused(
                "a redirect_uri must be https, or http on localhost, 127.0.0.1 or [::1]"
            )


def is_allowed(uri: str) -> bool:
    """Return whether an address is allowed as a redirect of any client.

    Every reader must see the same host: it is plain ASCII without an `@` (other letters come as
    `xn--…`), and characters that browsers read as others or drop are refused, as are those that
    would end the page's `form-action`.
    """
    if MISLEADING.search(uri):
        return False
    try:
        parts = urlsplit(uri)
    except ValueError:
        return False
    if not AUTHORITY.fullmatch(parts.netloc):
        return False
    if parts.scheme == "http":
        return parts.hostname in LOOPBACK
    if parts.scheme == "https" and not parts.hostname:
        return False
    return parts.scheme in settings.OAUTH2_PROVIDER["ALLOWED_REDIRECT_URI_SCHEMES"]


def is_same(uri: str, registered: str) -> bool:
    """Return whether two addresses are the same string, but for the port of a loopback address.

    Programs on the user's computer choose a free port at each start.
    Source: RFC 9700, section 4.1.3; RFC 8252, section 7.3.
    """
    return _without_port(uri) == _without_port(registered)


def _without_port(uri: str) -> str:
    """Return the address, without its port if it is on loopback."""
    match = LOOPBACK_PORT.match(uri)
    return match[1] + uri[match.end() :] if match else uri


def is_local(uri: str) -> bool:
    """Return whether an address leads to a program on the user's computer: it is not https."""
    return urlsplit(uri).scheme != "https"


def host_of(uri: str) -> str:
    """Return the host of an address; of a program's own scheme, the scheme: `cursor:`."""
    parts = urlsplit(uri)
    named = parts.hostname if parts.scheme in {"http", "https"} else None
    return named or f"{parts.scheme}:"


def csp_source(uri: str) -> str:
    """Return the source expression of `form-action` that lets a form's answer lead to an address.

    Browsers check a redirect after a form against `form-action`. The expression is
    the scheme alone for a program's own scheme, and for IPv6 addresses, whose brackets are not in
    its grammar.
    """
    parts = urlsplit(uri)
    if parts.scheme not in {"http", "https"} or "[" in parts.netloc:
        return f"{parts.scheme}:"
    return f"{parts.scheme}://{parts.netloc}"

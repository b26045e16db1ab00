"""Identify clients by the facts that can be verified."""

import logging
import unicodedata
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qsl

from django.conf import settings
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from oauth2_provider.cimd import CIMDError, SafeMetadataFetcher, is_cimd_client_id
from oauth2_provider.models import Application
from oauthlib.common import Request

from foundation.throttling import rate_limits
from mcp_server.oauth import redirects

MAX_NAME_LENGTH = 80
PINNED_SECONDS = 3600  # until a pinned document is read again
NOT_REACHED = _("We could not reach the server that has the details.")
ANSWERED_ERROR = _("The server that has the details answered with an error.")
NOT_ACCEPTED = _("The server answered, but with details that we cannot accept.")
FAULTS = {"returned HTTP": ANSWERED_ERROR, "JSON": NOT_ACCEPTED, "size": NOT_ACCEPTED}
# why the document of the client that the current request names was not used; empty without a fetch
document_fault: ContextVar[str] = ContextVar("document_fault", default="")
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class ClientIdentity:
    """The identity of a client. Its name is only claimed; the host of its redirect is verified.

    `host` is where the answer goes. For a program on the user's own computer it is `publisher`,
    the host of the client's metadata document, where there is one. `is_known` tells whether the
    host is in KNOWN_ASSISTANT_HOSTS.
    """

    name: str
    host: str
    is_known: bool
    is_loopback: bool
    publisher: str = ""


def identify(application: Application, redirect_uri: str) -> ClientIdentity:
    """Return the identity of a client for the consent page."""
    is_loopback = redirects.is_local(redirect_uri)
    is_published = is_loopback and is_cimd_client_id(application.client_id)
    publisher = redirects.host_of(application.client_id) if is_published else ""
    host = publisher or redirects.host_of(redirect_uri)
    return ClientIdentity(
        name=clean_name(application.name) or host,
        host=host,
        is_known=not is_loopback and _is_known(host),
        is_loopback=is_loopback,
        publisher=publisher,
    )


def identify_asking(address: str) -> ClientIdentity | None:
    """Return the identity of the client that asks for access, from the address of its request.

    Returns None for addresses of other pages, and for a request that the consent page would refuse.
    Nothing is fetched: a client whose document was not read yet is named by the document's host.
    """
    path, _, query = address.partition("?")
    asked = dict(parse_qsl(query))
    client_id, redirect_uri = asked.get("client_id", ""), asked.get("redirect_uri", "")
    if path != reverse("oauth2_provider:authorize") or "\0" in client_id:
        return None
    application = Application.objects.filter(client_id=client_id).first()
    if application is None:
        host = _document_host(client_id)
        return ClientIdentity(host, host, is_known=False, is_loopback=False) if host else None
    registered = application.redirect_uris.split()
    if not any(redirects.is_same(redirect_uri, uri) for uri in registered):
        return None
    return identify(application, redirect_uri)


def _document_host(client_id: str) -> str:
    """Return the host of a client's metadata document; empty if the id is not such an address."""
    try:
        return redirects.host_of(client_id) if is_cimd_client_id(client_id) else ""
    except ValueError:  # half an IPv6 address
        return ""


def clean_name(name: str) -> str:
    """Return the name a client gave itself on one line, without characters that mislead."""
    letters = (" " if letter.isspace() else letter for letter in name)
    visible = (letter for letter in letters if not unicodedata.category(letter).startswith("C"))
    return " ".join("".join(visible).split())[:MAX_NAME_LENGTH]


def is_trusted(redirect_uri: str) -> bool:
    """Return whether the browser may be redirected to an address without the user's decision.

    It may for programs on the user's own computer and for hosts of KNOWN_ASSISTANT_HOSTS.
    """
    return redirects.is_local(redirect_uri) or _is_known(redirects.host_of(redirect_uri))


def _is_known(host: str) -> bool:
    known = settings.KNOWN_ASSISTANT_HOSTS
    return any(host == name or host.endswith(f".{name}") for name in known)


class MetadataFetcher(SafeMetadataFetcher):
    """Fetches the documents of clients that are known by an https address.

    The toolkit's fetcher takes https only, refuses addresses that are not public, connects to the
    one it checked, follows no redirect, and reads 16 KiB in 5 seconds at most. Here a document may
    also name grants that we do not offer: its client goes without them. Names are cleaned.
    A document that cannot be fetched or used is logged as a warning, with the reason. With
    `OUTBOUND` off nothing is fetched. Documents in `CLIENT_DOCUMENTS_FILE` are never fetched.

    `document_fault` gets the reason for the user, since the toolkit passes on none. An address that
    is not public has the same reason as a server that does not answer.
    """

    def fetch(self, client_id: str) -> tuple[dict[str, Any], int]:
        try:
            return self._fetch(client_id)
        except CIMDError as exc:
            faults = [fault for words, fault in FAULTS.items() if words in str(exc)]
            document_fault.set(str(faults[0] if faults else document_fault.get() or NOT_REACHED))
            logger.warning("client document %.200s cannot be used: %s", client_id, exc)
            raise

    def _fetch(self, client_id: str) -> tuple[dict[str, Any], int]:
        document, max_age = self._pinned(client_id) or self._fetch_from_the_internet(client_id)
        document_fault.set(str(NOT_ACCEPTED))  # unless the toolkit accepts them
        try:
            redirects.check(document.get("redirect_uris") or [])
        except (redirects.RedirectRefused, TypeError) as exc:
            raise CIMDError(str(exc)) from exc
        name = document.get("client_name", "")
        ours = {
            "client_name": clean_name(name) if isinstance(name, str) else name,
            "grant_types": offered(document.get("grant_types")),
        }
        return {**document, **ours}, max_age

    def _pinned(self, client_id: str) -> tuple[dict[str, Any], int] | None:
        """Return the document that the operator keeps for a client, with its lifetime in seconds.

        Returns None if there is none.
        """
        document = settings.PINNED_CLIENT_DOCUMENTS.get(client_id)
        return (document, PINNED_SECONDS) if document else None

    def _fetch_from_the_internet(self, client_id: str) -> tuple[dict[str, Any], int]:
        if not settings.OUTBOUND:
            raise CIMDError("OUTBOUND is off")
        document, max_age = super().fetch(client_id)
        return document, max_age


class FetchPermission:
    """Permit fetching client documents at the authorization endpoint, limited per network.

    A client that has a code or a token is known already, so the token endpoint, which anybody can
    call, never fetches.
    """

    def has_permission(self, request: Request, client_id: str) -> bool:
        if request.uri.partition("?")[0] != reverse("oauth2_provider:authorize"):
            return False
        try:
            spend_registration(rate_limits.network_of(request.headers.get("REMOTE_ADDR", "")))
        except rate_limits.RateLimited:
            return False
        return True


def spend_registration(network: str) -> None:
    """Count one new client against the hourly limit of a network. Raises: RateLimited."""
    allowance = {f"registrations:{network}": settings.REGISTRATIONS_PER_HOUR}
    rate_limits.spend(allowance, at=timezone.now(), window=timedelta(hours=1))


def offered(grant_types: object) -> object:
    """Return the grants of a client's `grant_types` that we offer; for None, authorization_code.

    A value that is not a list is returned unchanged, for the caller to refuse.
    """
    if not isinstance(grant_types, list):
        return ["authorization_code"] if grant_types is None else grant_types
    ours = settings.OAUTH2_PROVIDER["OAUTH2_GRANT_TYPES_SUPPORTED"]
    return [grant for grant in grant_types if grant in ours]

"""Resource indicators: the server that an access token is for."""

from collections.abc import Iterable

from django.conf import settings


def is_ours(resource: str) -> bool:
    """Return whether a resource indicator means this tool server, exactly.

    Source: RFC 8707; the value of the setting counts, never the request's Host header.
    """
    return resource == settings.MCP_URL


def is_for_us(request_uri: str, audiences: Iterable[str]) -> bool:
    """Return whether a token with these audiences may be used at this tool server.

    A token without an audience may not. The address of the request does not matter.
    """
    return any(is_ours(audience) for audience in audiences)

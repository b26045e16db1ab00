"""Resources: whom an access token is for."""

from collections.abc import Iterable

from django.conf import settings


def is_ours(resource: str) -> bool:
    """Return whether a resource indicator means this tool server, exactly.

    Source: RFC 8707; the value of the setting counts, never the request's Host header.
    """
    return resource == settings.MCP_URL


def is_for_us(request_uri: str, audiences: Iterable[str]) -> bool:
    """Return whether a token may be used here. A token without an audience may not."""
    return any(is_ours(audience) for audience in audiences)

"""Authorization codes: a code that is presented again ends the tokens of its first exchange.

Source: RFC 6749, section 4.1.2. The family of those tokens is derived from the code, so the spent
code itself is not kept.
"""

import logging
from datetime import datetime
from uuid import UUID

from django.utils.crypto import salted_hmac
from oauth2_provider.models import Application, Grant, RefreshToken

from mcp_server.services import connections

ARRIVED_UNSPENT = "mcp_server.code_arrived_unspent"  # in META; a client cannot send such a name

log = logging.getLogger(__name__)


def is_unspent(code: str) -> bool:
    """Return whether a code was not exchanged yet. Call it before any lock is taken."""
    return bool(Grant.objects.filter(code=code).exists())


def family_of(code: str) -> UUID:
    """Return the `token_family` of the refresh tokens that a code is exchanged for."""
    return UUID(bytes=salted_hmac(__name__, code, algorithm="sha256").digest()[:16])


def revoke_tokens(code: str, client: Application, *, at: datetime) -> None:
    """Revoke the tokens for which a client exchanged a code that it now presents again.

    Locks the connection, ends it if no other token is left, and logs a warning. Does nothing for a
    code that was never exchanged, or whose connection has ended.
    """
    family = RefreshToken.objects.filter(token_family=family_of(code), application=client)
    token = family.first()
    connection = connections.hold(token.user_id, client) if token else None
    if token is None or connection is None:
        return
    log.warning("a code of client %s was presented again: its tokens are revoked", client.client_id)
    RefreshToken.revoke_family(token.token_family)
    connections.end_if_spent(connection, at=at)

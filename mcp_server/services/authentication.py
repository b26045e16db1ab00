"""Authentication: whose access token it is, in one statement.

The verdicts are the OAuth toolkit's, but that a token needs an audience and its user an active
account; the toolkit's own check takes ten times the time.
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from banking import prepared
from banking.choices import UserType
from banking.days import aware
from banking.models import User
from mcp_server.oauth import resources
from mcp_server.scopes import Scope

NEEDED = {"id", "external_id", "email", "first_name", "last_name", "user_type", "is_active"}
HOLDER = [column for column in User._meta.concrete_fields if column.attname in NEEDED]
CHECK = f"""
    SELECT token.expires, token.scope, token.resource, connection.id, connection.paused_at,
        {", ".join(f"holder.{column.column}" for column in HOLDER)}
    FROM oauth2_provider_accesstoken token
    JOIN banking_user holder ON holder.id = token.user_id
    JOIN mcp_server_connection connection
        ON connection.user_id = token.user_id AND connection.application_id = token.application_id
    WHERE token.token_checksum = %s
"""  # noqa: S608 - the names are our own


class InvalidToken(Exception):
    """The token is unknown, expired, for somebody else's server, or of nobody who may sign in."""


@dataclass(frozen=True)
class Grant:
    """What a valid token stands for: a user, the assistant's connection, and the scopes."""

    user: User
    connection_id: int
    is_paused: bool
    scopes: frozenset[str]

    @property
    def is_accountant(self) -> bool:
        return self.user.user_type == UserType.ACCOUNTANT

    def allows(self, scopes: Iterable[Scope]) -> bool:
        """Say whether all the scopes were granted."""
        return self.scopes.issuperset(scopes)


def authenticate(token: str, *, at: datetime) -> Grant:
    """Return what a token stands for. Raises: InvalidToken."""
    rows = prepared.fetch(CHECK, [hashlib.sha256(token.encode(errors="replace")).hexdigest()])
    if not rows:
        raise InvalidToken("The access token is invalid.")
    expires, scope, audiences, connection_id, paused_at, *holder = rows[0]
    if at >= aware(expires):
        raise InvalidToken("The access token has expired.")
    if not resources.is_for_us("", _loaded(audiences)):
        raise InvalidToken("The access token is not valid for this resource.")
    user = prepared.instance(User, HOLDER, holder)
    if not user.is_active:
        raise InvalidToken("The access token is invalid.")
    return Grant(user, connection_id, paused_at is not None, frozenset(scope.split()))


def _loaded(audiences: str | list[str] | None) -> list[str]:
    return (json.loads(audiences) if isinstance(audiences, str) else audiences) or []

"""Authenticate access tokens in one statement.

The rules are the OAuth toolkit's; in addition a token needs an audience, and its user an active
account.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db import DEFAULT_DB_ALIAS
from django.db.models import F
from oauth2_provider.models import AccessToken

from banking.choices import UserType
from banking.models import Business, BusinessOwner, User
from banking.reach import EVERYTHING, Reach
from foundation.database.compiled_queries import CompiledQuery
from mcp_server.limits import OF_DATA, reach_of
from mcp_server.oauth import resources
from mcp_server.scopes import Scope

NEEDED = {"id", "external_id", "email", "first_name", "last_name", "user_type", "is_active"}
HOLDER = [field.attname for field in User._meta.concrete_fields if field.attname in NEEDED]
BUSINESS = [field.attname for field in Business._meta.concrete_fields]
OWNER = ["id", "business_id", "role", "sign_in_role"]
CONNECTION = [
    f"user__connections__{name}" for name in ["id", "paused_at", "access_until", *OF_DATA]
]
CHECK = CompiledQuery(
    lambda checksum: AccessToken.objects.filter(
        token_checksum=checksum, user__connections__application=F("application")
    ).values_list(
        *("expires", "scope", "resource", *CONNECTION),
        *(f"user__{name}" for name in HOLDER),
        *(f"user__business_owner__{name}" for name in OWNER),
        *(f"user__business_owner__business__{name}" for name in BUSINESS),
    )
)


class InvalidToken(Exception):
    """The token is unknown, expired or for another server, or its user may not use it.

    The user's account is not active, or the last day of the assistant's access has passed.
    """


@dataclass(frozen=True)
class Grant:
    """The access that a valid token grants: user, connection of the assistant, scopes, reach.

    `owner` is the owner that the user signs in as, with the business; None for an accountant.
    """

    user: User
    connection_id: int
    is_paused: bool
    scopes: frozenset[str]
    owner: BusinessOwner | None = None
    reach: Reach = EVERYTHING

    @property
    def is_accountant(self) -> bool:
        return self.user.user_type == UserType.ACCOUNTANT

    def allows(self, scopes: Iterable[Scope]) -> bool:
        """Return whether all the scopes were granted."""
        return self.scopes.issuperset(scopes)


def authenticate(token: str, *, at: datetime) -> Grant:
    """Return the access that a token grants, also of a paused assistant. Raises: InvalidToken."""
    found = CHECK.first(checksum=hashlib.sha256(token.encode(errors="replace")).hexdigest())
    if found is None:
        raise InvalidToken("The access token is invalid.")
    expires, scope, audiences, connection_id, paused_at, access_until, *others = found
    limits, others = others[: len(OF_DATA)], others[len(OF_DATA) :]
    holder, owner = others[: len(HOLDER)], others[len(HOLDER) :]
    if at >= expires:
        raise InvalidToken("The access token has expired.")
    if access_until and access_until < at.astimezone(UTC).date():
        raise InvalidToken("The user's access has ended.")
    if not resources.is_for_us("", audiences or []):
        raise InvalidToken("The access token is not valid for this resource.")
    user = User.from_db(DEFAULT_DB_ALIAS, HOLDER, holder)
    if not user.is_active:
        raise InvalidToken("The access token is invalid.")
    scopes = frozenset(scope.split())
    reach = reach_of(*limits, scopes=scopes)
    return Grant(user, connection_id, paused_at is not None, scopes, _owner(owner), reach)


def _owner(values: list[Any]) -> BusinessOwner | None:
    """Return the owner with the business from columns; None if these are null (accountants)."""
    if values[0] is None:
        return None
    owner = BusinessOwner.from_db(DEFAULT_DB_ALIAS, OWNER, values[: len(OWNER)])
    owner.business = Business.from_db(DEFAULT_DB_ALIAS, BUSINESS, values[len(OWNER) :])
    return owner

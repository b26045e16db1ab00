"""The caller: whose data a tool may read."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.utils import timezone

from banking.choices import AccessLevel, AccessStatus, UserType
from banking.models import Accountant, Business, BusinessOwner, User
from banking.queries import accountants, profiles
from banking.reach import EVERYTHING, Reach
from foundation.external_ids import parse
from mcp_server.errors import denied, invalid
from mcp_server.scopes import OPEN_TO_PARTNERS, Scope

STRANGER = "There is no such business among those that you may see."
NO_SUCH_CLIENT = f"{STRANGER} Take the client's externalId from list_customers."
NOT_OWN = f"{STRANGER} Take businessUserId from svc_get_current_user."
OPEN_TO_ALL_LEVELS = {Scope.STATEMENTS, Scope.CLIENTS}
NOT_AMONG = "The user lets this assistant read some clients only, and not this one."
REASONS = {
    AccessStatus.PENDING_TERMS: "This client's access waits for terms to be accepted: call "
    "svc_get_client_access_status.",
    AccessStatus.REVOKED: "The access to this client has ended.",
}
NAMES = ("businessUserId", "customerExternalId")  # parameters that name a business
HOW_TO_NAME = "is required for accountants: a client's externalId, from list_customers"


class Caller:
    """The user of an assistant, with the scope of the tool that is called.

    `owner` is the user's own row as the owner of a business, read together with the token; None for
    accountants, and read later for a caller made without it.
    """

    def __init__(
        self,
        user: User,
        *,
        scope: Scope,
        owner: BusinessOwner | None = None,
        scopes: Collection[str] = (),
        reach: Reach = EVERYTHING,
    ) -> None:
        self.user = user
        self.scope = scope
        self.scopes = scopes  # all that the user granted
        self.reach = reach
        self.owner = owner
        self.concerned: list[int] = []  # keys of the businesses whose data are told, for the log

    @property
    def is_accountant(self) -> bool:
        return self.user.user_type == UserType.ACCOUNTANT

    def business(self, external_id: str | None, *, parameter: str = "businessUserId") -> Business:
        """Return the business of a call: the user's own or, for accountants, the named client.

        Notes the business in `concerned`, for the access log.
        Raises: ToolError, which does not tell whether a stranger's business exists;
        Accountant.DoesNotExist for a user of an accountant's type without an accountant's row.
        """
        return (
            self._client(external_id, parameter) if self.is_accountant else self._own(external_id)
        )

    def named_by(self, arguments: dict[str, Any]) -> list[int]:
        """Return the key of the business that a refused call was about, for the access log.

        The list has one key at most.
        For an accountant it is the client that the call names, even if the access has ended or was
        never accepted. A business that never was the accountant's client is not looked up.
        """
        if not self.is_accountant:
            return [self.owner.business_id] if self.owner else []
        named = next((arguments[name] for name in NAMES if arguments.get(name)), None)
        return accountants.list_client_keys(self.user, named) if isinstance(named, str) else []

    def accountant(self) -> Accountant:
        """Return the accountant that the user is.

        Raises: ToolError for other users, Accountant.DoesNotExist if the row is missing.
        """
        if not self.is_accountant:
            raise denied("This tool is for accountants.")
        return accountants.get_accountant(self.user)

    def _own(self, external_id: str | None) -> Business:
        try:
            owner = self.owner or profiles.get_owner(self.user)
        except BusinessOwner.DoesNotExist:
            raise denied("You have no business account.") from None
        own = {owner.business.external_id, self.user.external_id}
        if external_id is not None and parse(external_id) not in own:
            raise denied(NOT_OWN)
        self.concerned = [owner.business_id]  # of a refused call, too: other owners may know
        if not self.reach.has_business(owner.business_id):
            raise denied(NOT_OWN)
        if not owner.has_full_access and self.scope not in OPEN_TO_PARTNERS:
            raise denied("Your role as a partner lets you see the profile and statements only.")
        return owner.business

    def _client(self, external_id: str | None, parameter: str) -> Business:
        if not external_id:
            raise invalid(parameter, HOW_TO_NAME)
        accountant, now = self.accountant(), timezone.now()
        try:
            access = accountants.get_client(accountant, external_id, at=now)
        except accountants.NoAccess:
            raise denied(_reason(accountant, external_id, at=now)) from None
        self.concerned = [access.business_id]  # of a refused call, too: its owner may know
        if not self.reach.has_business(access.business_id):
            raise denied(NOT_AMONG)
        if access.level == AccessLevel.STATEMENTS_ONLY and self.scope not in OPEN_TO_ALL_LEVELS:
            raise denied("This client lets you see statements only.")
        return access.business


def _reason(accountant: Accountant, external_id: str, *, at: datetime) -> str:
    """Return the reason for which an accountant may not read a business, as text.

    For a business that never was a client, the text does not tell whether the business exists.
    """
    try:
        status = accountants.get_access_state(accountant, external_id, at=at).status
    except accountants.NoAccess:
        return NO_SUCH_CLIENT
    return REASONS.get(status, NO_SUCH_CLIENT)

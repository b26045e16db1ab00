"""The caller: whose data a tool may read."""

from django.utils import timezone

from banking.choices import AccessLevel, UserType
from banking.models import Accountant, Business, BusinessOwner, User
from banking.queries import accountants, profiles
from foundation.external_ids import parse
from mcp_server.errors import denied, invalid
from mcp_server.scopes import OPEN_TO_PARTNERS, Scope

STRANGER = "There is no such business among those that you may see."
OPEN_TO_ALL_LEVELS = {Scope.STATEMENTS, Scope.CLIENTS}
HOW_TO_NAME = "is required for accountants: a client's externalId, from list_customers"


class Caller:
    """The user of an assistant, with the scope of the tool that is called.

    The owner that the user is, with the business, is read with the token, which saves a statement.
    """

    def __init__(self, user: User, *, scope: Scope, owner: BusinessOwner | None = None) -> None:
        self.user = user
        self.scope = scope
        self.owner = owner
        self.concerned: list[int] = []  # keys of the businesses whose data are told, for the log

    @property
    def is_accountant(self) -> bool:
        return self.user.user_type == UserType.ACCOUNTANT

    def business(self, external_id: str | None, *, parameter: str = "businessUserId") -> Business:
        """Return the business that is meant: the user's own, or the client that is named.

        Raises: ToolError; of a stranger's business it does not tell whether it exists.
        """
        return (
            self._client(external_id, parameter) if self.is_accountant else self._own(external_id)
        )

    def accountant(self) -> Accountant:
        """Return the accountant that the user is. Raises: ToolError for anybody else."""
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
            raise denied(STRANGER)
        self.concerned = [owner.business_id]  # of a refused call, too: other owners may know
        if not owner.has_full_access and self.scope not in OPEN_TO_PARTNERS:
            raise denied("Your role as a partner lets you see the profile and statements only.")
        return owner.business

    def _client(self, external_id: str | None, parameter: str) -> Business:
        if not external_id:
            raise invalid(parameter, HOW_TO_NAME)
        try:
            access = accountants.get_client(self.accountant(), external_id, at=timezone.now())
        except accountants.NoAccess:
            raise denied(STRANGER) from None
        self.concerned = [access.business_id]  # of a refused call, too: its owner may know
        if access.level == AccessLevel.STATEMENTS_ONLY and self.scope not in OPEN_TO_ALL_LEVELS:
            raise denied("This client lets you see statements only.")
        return access.business

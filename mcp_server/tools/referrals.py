"""Tools for referrals: businesses that an accountant invited to the bank."""

from datetime import datetime
from typing import Annotated, Self
from uuid import UUID

from django.utils import timezone
from pydantic import Field

from banking import models
from banking.choices import ReferralStatus
from banking.queries import referrals
from mcp_server.caller import Caller
from mcp_server.errors import not_found
from mcp_server.limits import EVERY_LIMIT
from mcp_server.registry import tool
from mcp_server.schema import DateOf, ExternalId, Page, Result, Search, Timestamp
from mcp_server.scopes import Scope
from mcp_server.tools.accountants import Size

ReferralId = Annotated[
    ExternalId, Field(description="externalId from svc_search_accountant_referrals.")
]
ReferralSearch = Annotated[Search, Field(description="Part of a name or an email, in any case.")]
NO_INVITATION = "The invitation was taken up or has expired: there is no URL to share."


class Referral(Result):
    """A business that the accountant invited to the bank."""

    external_id: UUID
    business_name: str
    owner_first_name: str
    owner_last_name: str
    email: str
    status: ReferralStatus
    invited_date: DateOf = Field(validation_alias="invited_at")
    completed_date: DateOf | None = Field(validation_alias="completed_at")

    @classmethod
    def standing(cls, referral: models.Referral, *, at: datetime) -> Self:
        """Return a referral with its status at a given time, since invitations expire."""
        return cls.model_validate(referral).model_copy(update={"status": referral.status_at(at)})


class ReferralPage(Result):
    """One page of an accountant's referrals."""

    referrals: list[Referral] = Field(validation_alias="items")
    page: int
    page_size: int
    total_count: int
    total_pages: int


class Invitation(Result):
    """The URL at which a referred business can join."""

    referral_external_id: UUID
    invite_url: str = Field(validation_alias="url")
    expires_at: Timestamp


@tool(
    Scope.CLIENTS, title="Search accountant referrals", is_for_accountants=True, within=EVERY_LIMIT
)
def svc_search_accountant_referrals(
    caller: Caller, search: ReferralSearch = None, page: Page = 0, size: Size = 20
) -> ReferralPage:
    """List a page of referrals, newest first; `search` is part of a name or an email.

    For a link to share, call `svc_get_referral_invite_url`.
    """
    at = timezone.now()
    found = referrals.search_referrals(
        caller.accountant(), caller.reach, search=search or "", page=page, page_size=size
    )
    standing = [Referral.standing(referral, at=at) for referral in found.items]
    return ReferralPage.model_validate(found.of(standing))


@tool(Scope.CLIENTS, title="Get referral invite URL", is_for_accountants=True, within=EVERY_LIMIT)
def svc_get_referral_invite_url(caller: Caller, referral_external_id: ReferralId) -> Invitation:
    """Get the URL at which a referred business can join; share it with that business only.

    Only referrals with status INVITED have one.
    """
    accountant = caller.accountant()
    try:
        invitation = referrals.get_invitation(accountant, referral_external_id, at=timezone.now())
    except referrals.NotInvited:
        raise not_found(NO_INVITATION) from None
    return Invitation.model_validate(invitation)

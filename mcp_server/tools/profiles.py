"""Tools for the signed-in user and the profile of a business."""

from datetime import date
from uuid import UUID

from pydantic import AliasPath, Field

from banking.choices import (
    BusinessOwnerRole,
    BusinessType,
    DunsStatus,
    SubscriptionStatus,
    UserType,
)
from banking.queries import profiles
from mcp_server.caller import Caller
from mcp_server.limits import EVERY_LIMIT
from mcp_server.registry import tool
from mcp_server.schema import AddressOrNull, BusinessUserId, Result, Text
from mcp_server.scopes import Scope


class CurrentUser(Result):
    """The signed-in user of a business."""

    external_id: UUID
    user_type: UserType
    first_name: Text
    last_name: Text
    email: str
    business_name: str | None
    business_user_id: UUID = Field(description="The business, for businessUserId of every tool.")


class BusinessProfile(Result):
    """The legal name, incorporation and legal form of a business."""

    legal_name: str
    incorporation_state: Text
    incorporation_date: date | None
    incorporation_type: BusinessType = Field(validation_alias="business_type")


class BusinessAddresses(Result):
    """The registered, operational and mailing address of a business."""

    registered: AddressOrNull
    operational: AddressOrNull
    mailing: AddressOrNull


class BusinessOwner(Result):
    """A person who owns part of a business."""

    first_name: str
    last_name: str
    email: str
    ownership_percent: float | None
    role: BusinessOwnerRole


class BusinessOwnerList(Result):
    """All owners of one business."""

    owners: list[BusinessOwner]


class Benefit(Result):
    """A benefit of a plan."""

    code: str
    name: str


class BusinessPlan(Result):
    """The plan of a business."""

    plan_code: str = Field(validation_alias=AliasPath("subscription", "plan", "code"))
    plan_name: str = Field(validation_alias=AliasPath("subscription", "plan", "name"))
    status: SubscriptionStatus = Field(validation_alias=AliasPath("subscription", "status"))
    price_cents: int = Field(
        validation_alias=AliasPath("subscription", "plan", "price_cents"), description="Per month."
    )
    price_usd: str = ""
    renewal_date: date | None = Field(validation_alias=AliasPath("subscription", "renewal_date"))
    benefits: list[Benefit]
    secured_card_program_enrolled: bool = Field(validation_alias="is_secured_card_enrolled")


class DunsDetails(Result):
    """The DUNS registration of a business.

    Number and date are null while it is pending; nobody has confirmed a REPORTED number.
    """

    duns_number: Text = Field(validation_alias="number")
    registration_status: DunsStatus = Field(validation_alias="status")
    registered_name: Text
    registered_address: AddressOrNull
    registered_date: date | None


@tool(Scope.PROFILE, title="Get current user", within=EVERY_LIMIT)
def svc_get_current_user(caller: Caller, business_user_id: BusinessUserId = None) -> CurrentUser:
    """Get name, email and externalId of who signs in for the business; for owners, the user.

    For an accountant's own details, call `svc_get_accountant_profile`.
    """
    business = caller.business(business_user_id)
    user = profiles.get_signer(business) if caller.is_accountant else caller.user
    names = {"business_name": business.legal_name, "business_user_id": business.external_id}
    return CurrentUser.model_validate(vars(user) | names)


@tool(Scope.PROFILE, title="Get business profile", within=EVERY_LIMIT)
def svc_get_business_profile(
    caller: Caller, business_user_id: BusinessUserId = None
) -> BusinessProfile:
    """Get the business's legal name, and state, date and type of its incorporation."""
    return BusinessProfile.model_validate(caller.business(business_user_id))


@tool(Scope.PROFILE, title="Get business addresses", within=EVERY_LIMIT)
def svc_get_business_addresses(
    caller: Caller, business_user_id: BusinessUserId = None
) -> BusinessAddresses:
    """Get the business's registered, operational and mailing addresses."""
    business = caller.business(business_user_id)
    return BusinessAddresses.model_validate(profiles.get_addresses(business))


@tool(Scope.PROFILE, title="Get business owners", within=EVERY_LIMIT)
def svc_get_business_owners(
    caller: Caller, business_user_id: BusinessUserId = None
) -> BusinessOwnerList:
    """Get the owners of the business with their shares, the largest first."""
    return BusinessOwnerList(owners=list(profiles.list_owners(caller.business(business_user_id))))


@tool(Scope.PROFILE, title="Get business plan", within=EVERY_LIMIT)
def svc_get_business_plan(caller: Caller, business_user_id: BusinessUserId = None) -> BusinessPlan:
    """Get the plan the business pays the bank for, its benefits, and secured card enrollment.

    For the secured card itself, call `svc_get_secured_card_details`.
    """
    return BusinessPlan.model_validate(profiles.get_plan(caller.business(business_user_id)))


@tool(Scope.PROFILE, title="Get DUNS details", within=EVERY_LIMIT)
def svc_get_duns_details(caller: Caller, business_user_id: BusinessUserId = None) -> DunsDetails:
    """Get the business's DUNS number and its registration at Dun & Bradstreet.

    A number of status REPORTED was given by the business; the bank has not confirmed it.
    """
    registration = profiles.get_duns_registration(caller.business(business_user_id))
    return DunsDetails.model_validate(vars(registration) | {"registered_address": registration})

"""Businesses, their owners, addresses and D-U-N-S registrations."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from banking.choices import (
    AddressKind,
    BusinessOwnerRole,
    BusinessType,
    DunsStatus,
    FilingStatus,
    SignInRole,
)
from banking.feed.faults import FaultCode, refused
from banking.feed.plain import PlainKind
from banking.feed.registry import Work, register
from banking.feed.schemas import BusinessId, Country, Data, Date, Percent, Text, Timestamp
from banking.models import Business, BusinessAddress, BusinessOwner, DunsRegistration, User

State = Annotated[str, StringConstraints(pattern=r"^[A-Z]{2}$|^$")]
Email = Annotated[str, StringConstraints(max_length=254, to_lower=True)]
KEEPS_USER = "The user of this owner has chosen a password; staff release the owner first."


class BusinessData(Data):
    """A business that banks here."""

    legal_name: Text
    business_type: BusinessType
    filing_status: FilingStatus | None = Field(
        default=None, description="The owner's, for the income tax."
    )
    incorporation_state: State = ""
    incorporation_date: Date | None = None
    tax_state: State = Field(default="", description="Where it is not the state of incorporation.")
    email: Email
    phone_number: Text = ""
    website: Text = ""
    created_at: Timestamp


class OwnerData(Data):
    """A person who owns part of a business."""

    business: BusinessId
    first_name: Text
    last_name: Text
    email: Email
    ownership_percent: Percent | None = None
    role: BusinessOwnerRole
    sign_in_role: SignInRole | None = Field(
        default=None,
        description=(
            "`PARTNER_FULL_ACCESS` sees what the primary owner sees, `PARTNER` sees profile and "
            "statements. Null: signs in only as the primary owner."
        ),
    )


class AddressData(Data):
    """The registered, operational or mailing address of a business."""

    business: BusinessId
    kind: AddressKind
    line1: Text
    line2: Text = ""
    city: Text
    state: Text = ""
    postal_code: Text = ""
    country: Country = "US"


class DunsData(Data):
    """A business's entry at Dun & Bradstreet."""

    business: BusinessId
    number: Annotated[str, StringConstraints(pattern=r"^[0-9]{9}$|^$")] = ""
    status: DunsStatus
    registered_name: Text = ""
    registered_date: Date | None = None
    line1: Text = ""
    line2: Text = ""
    city: Text = ""
    state: Text = ""
    postal_code: Text = ""
    country: Country = "US"


class BusinessKind(PlainKind[BusinessData]):
    """Businesses: a business cannot be removed, only its accounts can be closed."""

    def complete(self, works: Sequence[Work[BusinessData]], *, at: datetime) -> None:
        for work in works:
            work.row.filing_status = work.data.filing_status or ""

    def represent(self, row: Business) -> dict[str, Any]:
        return super().represent(row) | {"filingStatus": row.filing_status or None}

    def remove(self, row: Business, *, at: datetime) -> None:
        reason = "A business cannot be removed; close its accounts instead."
        raise refused(FaultCode.NOT_REMOVABLE, reason=reason)


class OwnerKind(PlainKind[OwnerData]):
    """Owners: an owner who loses the role to sign in has no user any more.

    Lines that take the role from, or remove, an owner whose user has a password are refused.
    """

    def complete(self, works: Sequence[Work[OwnerData]], *, at: datetime) -> None:
        for work in works:
            owner: BusinessOwner = work.row
            owner.sign_in_role = work.data.sign_in_role or ""
            if not owner.may_sign_in:
                if _has_password(owner):
                    work.refuse(KEEPS_USER, "signInRole")
                owner.user = None

    def remove(self, row: BusinessOwner, *, at: datetime) -> None:
        if _has_password(row):
            raise refused(FaultCode.NOT_REMOVABLE, reason=KEEPS_USER)
        super().remove(row, at=at)

    def represent(self, row: BusinessOwner) -> dict[str, Any]:
        return super().represent(row) | {"signInRole": row.sign_in_role or None}


def _has_password(owner: BusinessOwner) -> bool:
    """Return whether the user of the owner has chosen a password. Locks the user."""
    users = User.objects.select_for_update(of=("self",), no_key=True).filter(pk=owner.user_id or 0)
    return any(user.has_usable_password() for user in users)


register(
    BusinessKind(
        "businesses",
        BusinessData,
        Business,
        shows=["svc_get_business_profile", "svc_get_current_user", "select_customer"],
    )
)
register(
    OwnerKind(
        "owners", OwnerData, BusinessOwner, shows=["svc_get_business_owners"], fixed=["business"]
    )
)
register(
    PlainKind(
        "addresses",
        AddressData,
        BusinessAddress,
        shows=["svc_get_business_addresses"],
        identity=["business_id", "kind"],
    )
)
register(
    PlainKind(
        "duns-registrations",
        DunsData,
        DunsRegistration,
        shows=["svc_get_duns_details"],
        identity=["business_id"],
    )
)

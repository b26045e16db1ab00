"""Accountants, their access to clients, and the businesses that they referred."""

import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, ClassVar

from django.db.models import QuerySet
from pydantic import Field, StringConstraints

from banking.choices import AccessLevel, AccessStatus, ReferralStatus, UserType
from banking.feed.plain import PlainKind
from banking.feed.registry import Work, register
from banking.feed.schemas import BusinessId, Data, Id, Reference, Text, Timestamp
from banking.models import Accountant, ClientAccess, Firm, Referral, User
from banking.transitions import transition

UserId = Annotated[Id, Reference("users")]
AccountantId = Annotated[Id, Reference("accountants")]
Name = Annotated[str, StringConstraints(min_length=1, max_length=100)]
NO_ACCOUNTANT = "This user is not of the type ACCOUNTANT."
GRANTED = "An access is granted from grantedAt on if it is connected, and not while terms wait."
REVOKED = "An access has revokedAt if it is revoked, and only then."
ENDED_HERE = "The access ended here; only a new invitation by the owner gives it again."
COMPLETED = "A referral has completedAt if it is completed, and only then."


class AccountantData(Data):
    """An accountant of a firm. The user is the same person, who signs in."""

    user: UserId
    firm_name: Text
    firm: Id | None = Field(
        default=None,
        description="Your id of the firm, of which all its accountants are. Read once: later lines "
        "move nobody. Without it an accountant has a firm of their own.",
    )
    partner_referral_code: Annotated[str, StringConstraints(min_length=1, max_length=20)]


class ClientAccessData(Data):
    """The access of an accountant's firm to a business; each pair of firm and business has one."""

    accountant: AccountantId
    business: BusinessId
    status: AccessStatus
    level: AccessLevel
    invited_at: Timestamp
    granted_at: Timestamp | None = None
    revoked_at: Timestamp | None = None


class ReferralData(Data):
    """A business that an accountant invited to the bank."""

    accountant: AccountantId
    business_name: Text
    owner_first_name: Name
    owner_last_name: Name
    email: Annotated[str, StringConstraints(max_length=254, to_lower=True)]
    status: ReferralStatus
    invited_at: Timestamp
    expires_at: Timestamp
    completed_at: Timestamp | None = None


class AccountantKind(PlainKind[AccountantData]):
    """Accountants: each is a user of the type ACCOUNTANT.

    A new accountant counts as having accepted the terms of service. The first accountant of a firm
    manages it. Lines do not change the firm of a stored accountant.
    """

    elsewhere: ClassVar[frozenset[str]] = frozenset({"firm", "firm_name"})

    def complete(self, works: Sequence[Work[AccountantData]], *, at: datetime) -> None:
        users = {work.row.user_id for work in works}
        fitting = User.objects.filter(pk__in=users, user_type=UserType.ACCOUNTANT)
        keys = set(fitting.values_list("pk", flat=True))
        for work in works:
            if work.row.user_id not in keys:
                work.refuse(NO_ACCOUNTANT, "user")
            elif not work.had_row:
                work.row.firm, work.row.is_manager = _firm_of(work.data)
                work.row.terms_accepted_at = at

    def save(self, works: Sequence[Work[AccountantData]], *, at: datetime) -> None:
        """Save the rows. A refused line renames no firm; a firm made for the line is deleted."""
        super().save(works, at=at)
        for work in works:
            if not work.faults:
                _rename(work.row.firm, work.data)
        made = [work.row.firm_id for work in works if work.faults and work.row.is_manager]
        Firm.objects.filter(pk__in=made, people=None, accesses=None).delete()

    def rows(self) -> "QuerySet[Accountant]":
        return Accountant.objects.select_related("firm")

    def represent(self, row: Accountant) -> dict[str, Any]:
        firm = {"firmName": row.firm.name, "firm": row.firm.core_id or None}
        return super().represent(row) | firm


def _firm_of(data: AccountantData) -> tuple[Firm, bool]:
    """Return the firm of a new accountant, and whether it is new."""
    if data.firm is None:
        return Firm.objects.create(name=data.firm_name), True
    return Firm.objects.get_or_create(core_id=data.firm, defaults={"name": data.firm_name})


def _rename(firm: Firm, data: AccountantData) -> None:
    """Rename a firm if the line has its id, or if the accountant is its only person."""
    is_named = data.firm is not None and firm.core_id == data.firm
    if firm.name != data.firm_name and (is_named or firm.people.count() == 1):
        firm.name = data.firm_name
        firm.save(update_fields=["name"])


class ClientAccessKind(PlainKind[ClientAccessData]):
    """Accesses of firms: removing an access revokes it and keeps the row. A row keeps its firm."""

    def complete(self, works: Sequence[Work[ClientAccessData]], *, at: datetime) -> None:
        accountants = Accountant.objects.filter(pk__in=[work.row.accountant_id for work in works])
        firms = dict(accountants.values_list("pk", "firm"))
        keys = [work.row.pk for work in works if work.had_row]
        locked = ClientAccess.objects.select_for_update(of=("self",), no_key=True)
        stored = {access.pk: access for access in locked.filter(pk__in=keys).order_by("pk")}
        for work in works:
            if access := stored.get(work.row.pk):
                _keep_end(work, access)
            data = work.data
            if not work.had_row:
                work.row.firm_id = firms[work.row.accountant_id]
            is_granted = data.granted_at is not None
            if data.status != AccessStatus.REVOKED and is_granted != (
                data.status == AccessStatus.CONNECTED
            ):
                work.refuse(GRANTED, "grantedAt")
            if (data.revoked_at is not None) != (data.status == AccessStatus.REVOKED):
                work.refuse(REVOKED, "revokedAt")

    def remove(self, row: ClientAccess, *, at: datetime) -> None:
        if row.status != AccessStatus.REVOKED:
            transition(row, AccessStatus.REVOKED, revoked_at=row.ended_at(at) or at)


def _keep_end(work: Work[ClientAccessData], stored: ClientAccess) -> None:
    """Keep the end date and the invitation, which no line sends.

    An access that the owner, or its end date, has ended cannot get another status than REVOKED.
    """
    work.row.ends_at, work.row.invitation = stored.ends_at, stored.invitation
    work.row.ended_here = stored.ended_here
    if stored.ended_here and work.data.status != AccessStatus.REVOKED:
        work.refuse(ENDED_HERE, "status")


class ReferralKind(PlainKind[ReferralData]):
    """Referrals: each new one gets a random invitation code, which no line sends."""

    def complete(self, works: Sequence[Work[ReferralData]], *, at: datetime) -> None:
        for work in works:
            if not work.had_row:
                work.row.invite_code = secrets.token_urlsafe(32)
            is_completed = work.data.status == ReferralStatus.COMPLETED
            if is_completed != (work.data.completed_at is not None):
                work.refuse(COMPLETED, "completedAt")


register(
    AccountantKind(
        "accountants",
        AccountantData,
        Accountant,
        shows=["svc_get_accountant_profile"],
        fixed=["user"],
        identity=["user_id"],
    )
)
register(
    ClientAccessKind(
        "client-accesses",
        ClientAccessData,
        ClientAccess,
        shows=["svc_list_accountant_clients", "list_customers"],
        fixed=["accountant", "business"],
        identity=["accountant_id", "business_id"],
    )
)
register(
    ReferralKind(
        "referrals",
        ReferralData,
        Referral,
        shows=["svc_search_accountant_referrals", "svc_get_referral_invite_url"],
        fixed=["accountant"],
        identity=["accountant_id", "email"],
    )
)

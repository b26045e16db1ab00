"""Accountants: whose records they may see, and whom they referred."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db.models import Count, Exists, F, FilteredRelation, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Concat

from banking.choices import AccessStatus, BusinessOwnerRole, ReferralStatus
from banking.models import (
    Accountant,
    Business,
    BusinessOwner,
    ClientAccess,
    Referral,
    TermsOfService,
    User,
)
from banking.paging import Page, take_page
from foundation import external_ids

FULL_NAME = Concat("first_name", Value(" "), "last_name")


class NoAccess(Exception):
    """The accountant may not see the business, or there is none; which of both is not told."""


class NotInvited(Exception):
    """The invitation was taken up, or has expired."""


@dataclass(frozen=True)
class Client:
    """A business that gave an accountant access, or is to; names and email are of its owner."""

    business_id: int
    external_id: UUID
    business_name: str
    business_type: str
    email: str
    first_name: str
    last_name: str
    status: str
    level: str
    invited_at: datetime
    granted_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True)
class AccessState:
    """The status of an access, and the terms that the business has yet to accept."""

    access: ClientAccess
    pending_terms: list[TermsOfService]


@dataclass(frozen=True)
class Invitation:
    """The address under which a referred business can join."""

    referral_external_id: UUID
    url: str
    expires_at: datetime


def get_accountant(user: User) -> Accountant:
    """Return the accountant that a user is. Raises: Accountant.DoesNotExist."""
    return Accountant.objects.select_related("user").get(user=user)


def list_clients(accountant: Accountant) -> list[Client]:
    """Return all clients by business name, also with a pending or revoked access."""
    return [_client(access) for access in _accesses(accountant)]


def search_clients(
    accountant: Accountant,
    *,
    search: str = "",
    status: AccessStatus | None = None,
    page: int = 0,
    page_size: int = 20,
) -> Page[Client]:
    """Return the clients whose business's or owner's name contains a text, in any case."""
    found = _accesses(accountant)
    if status is not None:
        found = found.filter(status=status)
    if search:
        owners = BusinessOwner.objects.filter(business=OuterRef("business"))
        named = owners.alias(name=FULL_NAME).filter(name__icontains=search)
        found = found.filter(Q(business__legal_name__icontains=search) | Exists(named))
    taken = take_page(found, page=page, page_size=page_size)
    return taken.of([_client(access) for access in taken.items])


def count_clients(accountant: Accountant) -> dict[AccessStatus, int]:
    """Return how many clients an accountant has of each status."""
    counted = accountant.accesses.order_by().values_list("status").annotate(Count("pk"))
    return {**dict.fromkeys(AccessStatus, 0), **dict(counted)}


def get_client(accountant: Accountant, external_id: str | UUID) -> ClientAccess:
    """Return the access that holds now to a business, the business with it. Raises: NoAccess."""
    return _get_access(accountant.accesses.connected(), external_id)


def get_access_state(
    accountant: Accountant, external_id: str | UUID, *, at: datetime
) -> AccessState:
    """Return the state of an access to a client, of any status. Raises: NoAccess."""
    access = _get_access(accountant.accesses.all(), external_id)
    return AccessState(access, list(list_pending_terms(access.business, at=at)))


def list_pending_terms(business: Business, *, at: datetime) -> QuerySet[TermsOfService]:
    """Return the terms in force that a business has not accepted: of each title the newest."""
    published = TermsOfService.objects.filter(published_at__lte=at)
    newer = published.filter(title=OuterRef("title")).filter(
        Q(published_at__gt=OuterRef("published_at"))
        | Q(published_at=OuterRef("published_at"), pk__gt=OuterRef("pk"))
    )
    accepted = business.terms_acceptances.values("terms")
    return published.filter(~Exists(newer)).exclude(pk__in=accepted).order_by("title", "pk")


def search_referrals(
    accountant: Accountant, *, search: str = "", page: int = 0, page_size: int = 20
) -> Page[Referral]:
    """Return the referrals whose names or email contain a text, in any case, newest first.

    `status_at` says where each stands at a timestamp.
    """
    found = accountant.referrals.order_by("-invited_at", "-id")
    if search:
        owner = Concat("owner_first_name", Value(" "), "owner_last_name")
        found = found.alias(owner_name=owner).filter(
            Q(business_name__icontains=search)
            | Q(owner_name__icontains=search)
            | Q(email__icontains=search)
        )
    return take_page(found, page=page, page_size=page_size)


def get_invitation(accountant: Accountant, external_id: str | UUID, *, at: datetime) -> Invitation:
    """Return how a referred business can join. Raises: Referral.DoesNotExist, NotInvited."""
    referral = accountant.referrals.get(external_id=external_ids.parse(external_id))
    if referral.status_at(at) != ReferralStatus.INVITED:
        raise NotInvited(f"{referral} is {referral.status_at(at)}")
    url = f"{settings.BASE_URL}/join/{referral.invite_code}"
    return Invitation(referral.external_id, url, referral.expires_at)


def get_invited(invite_code: str, *, at: datetime) -> Referral:
    """Return the referral whose invitation somebody holds.

    Raises: Referral.DoesNotExist, NotInvited.
    """
    referral = Referral.objects.select_related("accountant").get(invite_code=invite_code)
    if referral.status_at(at) != ReferralStatus.INVITED:
        raise NotInvited(f"{referral} is {referral.status_at(at)}")
    return referral


def _get_access(accesses: QuerySet[ClientAccess], external_id: str | UUID) -> ClientAccess:
    wanted = accesses.filter(business__external_id=external_ids.parse(external_id))
    access = wanted.select_related("business").first()
    if access is None:
        raise NoAccess("The accountant has no access to this business.")
    return access


def _accesses(accountant: Accountant) -> QuerySet[ClientAccess]:
    """Return the accesses with business and primary owner. A business has at most one of these."""
    primary = Q(business__owners__role=BusinessOwnerRole.PRIMARY_OWNER)
    return (
        accountant.accesses.select_related("business")
        .annotate(primary_owner=FilteredRelation("business__owners", condition=primary))
        .annotate(
            owner_email=F("primary_owner__email"),
            owner_first_name=F("primary_owner__first_name"),
            owner_last_name=F("primary_owner__last_name"),
        )
        .order_by("business__legal_name", "pk")
    )


def _client(access: ClientAccess) -> Client:
    business, owner = access.business, vars(access)
    return Client(
        business_id=business.pk,
        external_id=business.external_id,
        business_name=business.legal_name,
        business_type=business.business_type,
        email=owner["owner_email"] or business.email,
        first_name=owner["owner_first_name"] or "",
        last_name=owner["owner_last_name"] or "",
        status=access.status,
        level=access.level,
        invited_at=access.invited_at,
        granted_at=access.granted_at,
        revoked_at=access.revoked_at,
    )

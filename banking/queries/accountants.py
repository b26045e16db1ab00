"""Accountants: the clients whose records they may see, and the terms that wait for consent."""

from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from django.db.models import Count, Exists, F, FilteredRelation, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Concat

from banking.choices import AccessStatus, BusinessOwnerRole
from banking.models import (
    Accountant,
    AccountantInvitation,
    Business,
    BusinessOwner,
    ClientAccess,
    TermsOfService,
    User,
)
from banking.models.accountants import has_status
from banking.paging import Page, take_page
from banking.reach import EVERYTHING, Reach
from foundation import external_ids

FULL_NAME = Concat("first_name", Value(" "), "last_name")


class NoAccess(Exception):
    """The accountant may not see the business, or there is none; which of both is not told."""


@dataclass(frozen=True)
class Client:
    """A business to which an accountant's firm has an access of any status, and its primary owner.

    The email is that of the owner, else that of the business. The status is PENDING_TERMS also
    until the accountant has accepted their own terms. `is_invited` means that the access is
    pending and the owner's invitation can still be accepted, `is_expired` that it no longer can.
    """

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
    last_day: date | None
    is_invited: bool
    is_expired: bool


@dataclass(frozen=True)
class AccessState:
    """The status of an access at a time, and the terms that are yet to be accepted for it."""

    access: ClientAccess
    status: AccessStatus
    pending_terms: list[TermsOfService]


def get_accountant(user: User) -> Accountant:
    """Return the accountant that a user is. Raises: Accountant.DoesNotExist."""
    return Accountant.objects.select_related("user", "firm").get(user=user)


def list_clients(
    accountant: Accountant, reach: Reach = EVERYTHING, *, at: datetime
) -> list[Client]:
    """Return all clients of the accountant's firm by business name.

    Clients whose access is pending or revoked are included.
    """
    found = _accesses(accountant).filter(reach.of_businesses())
    return [_client(access, accountant, at=at) for access in found]


def search_clients(
    accountant: Accountant,
    reach: Reach = EVERYTHING,
    *,
    at: datetime,
    search: str = "",
    status: AccessStatus | None = None,
    page: int = 0,
    page_size: int = 20,
) -> Page[Client]:
    """Return a page of clients whose business's or an owner's name contains `search`, in any case.

    Clients are sorted by business name. The first page is 0.
    """
    found = _accesses(accountant).filter(reach.of_businesses())
    if status is not None:
        found = found.filter(_has_status_for(accountant, status, at=at))
    if search:
        owners = BusinessOwner.objects.filter(business=OuterRef("business"))
        named = owners.alias(name=FULL_NAME).filter(name__icontains=search)
        found = found.filter(Q(business__legal_name__icontains=search) | Exists(named))
    taken = take_page(found, page=page, page_size=page_size)
    return taken.of([_client(access, accountant, at=at) for access in taken.items])


def count_clients(accountant: Accountant, *, at: datetime) -> dict[AccessStatus, int]:
    """Return the number of an accountant's clients by status."""
    counts = {
        status.value: Count("pk", filter=_has_status_for(accountant, status, at=at))
        for status in AccessStatus
    }
    counted = accountant.firm.accesses.aggregate(**counts)
    return {status: counted[status] for status in AccessStatus}


def get_client(accountant: Accountant, external_id: str | UUID, *, at: datetime) -> ClientAccess:
    """Return the connected access of an accountant's firm to a business, with the business.

    `external_id` is the id of the business or of a user who owns it. Raises: NoAccess, also before
    the accountant has accepted the terms.
    """
    return _get_access(ClientAccess.objects.readable_by(accountant, at=at), external_id)


def list_client_keys(user: User, external_id: str) -> list[int]:
    """Return a list with the key of a business, or an empty list if there is no access to it.

    `user` is an accountant, whose firm may have an access of any status. `external_id` is the id of
    the business or of a user who owns it.
    """
    accesses = ClientAccess.objects.filter(_names(external_id), firm__people__user=user)
    return list(accesses.values_list("business_id", flat=True)[:1])


def get_waiting_access(
    accountant: Accountant, external_id: str | UUID, *, at: datetime
) -> ClientAccess:
    """Return the firm's pending access to a business, if the owner's invitation is still open.

    `external_id` is the id of the business or of a user who owns it. Raises: NoAccess.
    """
    waiting = accountant.firm.accesses.filter(
        has_status(AccessStatus.PENDING_TERMS, at=at),
        invitation__in=AccountantInvitation.objects.open(at=at),
    )
    return _get_access(waiting.select_related("invitation"), external_id)


def get_access_state(
    accountant: Accountant, external_id: str | UUID, *, at: datetime
) -> AccessState:
    """Return the state of the firm's access to a business, of any status.

    `external_id` is the id of the business or of a user who owns it. Raises: NoAccess.
    """
    access = _get_access(accountant.firm.accesses.all(), external_id)
    has_accepted = accountant.terms_accepted_at is not None
    terms = list_pending_terms(access.business, at=at) if has_accepted else list_terms(at=at)
    return AccessState(access, access.status_for(accountant, at), list(terms))


def list_terms(*, at: datetime) -> QuerySet[TermsOfService]:
    """Return the terms in force at a time: of each title the newest that is published."""
    published = TermsOfService.objects.filter(published_at__lte=at)
    newer = published.filter(title=OuterRef("title")).filter(
        Q(published_at__gt=OuterRef("published_at"))
        | Q(published_at=OuterRef("published_at"), pk__gt=OuterRef("pk"))
    )
    return published.filter(~Exists(newer)).order_by("title", "pk")


def list_pending_terms(business: Business, *, at: datetime) -> QuerySet[TermsOfService]:
    """Return the terms in force that were not accepted for a business."""
    return list_terms(at=at).exclude(pk__in=business.terms_acceptances.values("terms"))


def _get_access(accesses: QuerySet[ClientAccess], external_id: str | UUID) -> ClientAccess:
    named = accesses.filter(_names(external_id)).select_related("business")
    access = named.order_by("pk").first()
    if access is None:
        raise NoAccess("The accountant has no access to this business.")
    return access


def _names(external_id: str | UUID) -> Q:
    """Return the condition on accesses that an id names the business or a user who owns it."""
    wanted = external_ids.parse(external_id)
    owned = BusinessOwner.objects.filter(user__external_id=wanted).values("business")
    return Q(business__external_id=wanted) | Q(business__in=owned)


def _accesses(accountant: Accountant) -> QuerySet[ClientAccess]:
    """Return the accesses of the firm, each with business and primary owner, by business name."""
    primary = Q(business__owners__role=BusinessOwnerRole.PRIMARY_OWNER)
    return (
        accountant.firm.accesses.select_related("business", "invitation")
        .annotate(primary_owner=FilteredRelation("business__owners", condition=primary))
        .annotate(
            owner_email=F("primary_owner__email"),
            owner_first_name=F("primary_owner__first_name"),
            owner_last_name=F("primary_owner__last_name"),
        )
        .order_by("business__legal_name", "pk")
    )


def _has_status_for(accountant: Accountant, status: AccessStatus, *, at: datetime) -> Q:
    """Return the condition on accesses whose `status_for` the accountant is a given one."""
    if accountant.terms_accepted_at is not None or status == AccessStatus.REVOKED:
        return has_status(status, at=at)
    connected = has_status(AccessStatus.CONNECTED, at=at)
    is_pending = has_status(AccessStatus.PENDING_TERMS, at=at) | connected
    return is_pending if status == AccessStatus.PENDING_TERMS else Q(pk__in=[])


def _client(access: ClientAccess, accountant: Accountant, *, at: datetime) -> Client:
    business, owner = access.business, vars(access)
    status, invitation = access.status_for(accountant, at), access.invitation
    waits = access.status_at(at) == AccessStatus.PENDING_TERMS and invitation is not None
    is_open = invitation is not None and invitation.is_open(at)
    return Client(
        business_id=business.pk,
        external_id=business.external_id,
        business_name=business.legal_name,
        business_type=business.business_type,
        email=owner["owner_email"] or business.email,
        first_name=owner["owner_first_name"] or "",
        last_name=owner["owner_last_name"] or "",
        status=status,
        level=access.level,
        invited_at=access.invited_at,
        granted_at=access.granted_at,
        revoked_at=access.ended_at(at),
        last_day=access.last_day,
        is_invited=waits and is_open,
        is_expired=waits and not is_open,
    )

"""Referrals: the businesses that an accountant invited to open an account, and their links."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db.models import Q, Value
from django.db.models.functions import Concat

from banking.choices import ReferralStatus
from banking.models import Accountant, Referral
from banking.paging import Page, take_page
from banking.reach import EVERYTHING, Reach
from foundation import external_ids

JOINABLE = {ReferralStatus.INVITED, ReferralStatus.REGISTERED}


class NotInvited(Exception):
    """The invitation was taken up, was withdrawn or has expired."""


@dataclass(frozen=True)
class Invitation:
    """The address under which a referred business can join."""

    referral_external_id: UUID
    url: str
    expires_at: datetime


def search_referrals(
    accountant: Accountant,
    reach: Reach = EVERYTHING,
    *,
    search: str = "",
    page: int = 0,
    page_size: int = 20,
) -> Page[Referral]:
    """Return a page of referrals whose names or email contain a text, in any case, newest first.

    The first page is 0. `status_at` of a referral returns its status at a time. If the reach has
    only some businesses, completed referrals are left out, since a referral does not name the
    business that joined.
    """
    found = accountant.referrals.order_by("-invited_at", "-id")
    if reach.businesses is not None:
        found = found.exclude(status=ReferralStatus.COMPLETED)
    if search:
        owner = Concat("owner_first_name", Value(" "), "owner_last_name")
        found = found.alias(owner_name=owner).filter(
            Q(business_name__icontains=search)
            | Q(owner_name__icontains=search)
            | Q(email__icontains=search)
        )
    return take_page(found, page=page, page_size=page_size)


def get_invitation(accountant: Accountant, external_id: str | UUID, *, at: datetime) -> Invitation:
    """Return the invitation of a referral, with its link.

    Raises: Referral.DoesNotExist; NotInvited if the referral has another status than INVITED.
    """
    referral = get_referral(accountant, external_id)
    if referral.status_at(at) != ReferralStatus.INVITED:
        raise NotInvited(f"{referral} is {referral.status_at(at)}")
    url = f"{settings.BASE_URL}/join/{referral.invite_code}"
    return Invitation(referral.external_id, url, referral.expires_at)


def get_referral(accountant: Accountant, external_id: str | UUID) -> Referral:
    """Return the accountant's referral with an external id. Raises: Referral.DoesNotExist."""
    return accountant.referrals.get(external_id=external_ids.parse(external_id))


def get_invited(invite_code: str, *, at: datetime) -> Referral:
    """Return the referral with an invitation code, for the page behind the link.

    The link works for the whole time of the invitation, also after the business registered.
    Raises: Referral.DoesNotExist, NotInvited.
    """
    referral = Referral.objects.select_related("accountant__firm").get(invite_code=invite_code)
    if referral.status not in JOINABLE or referral.expires_at <= at:
        raise NotInvited(f"{referral} is {referral.status_at(at)}")
    return referral

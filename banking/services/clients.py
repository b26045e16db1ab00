"""Clients of accountants: access that is asked for, granted and revoked, and referrals."""

import secrets
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q

from banking.choices import AccessLevel, AccessStatus, FeedResult, ReferralStatus
from banking.models import (
    Accountant,
    AccountantInvitation,
    Business,
    ClientAccess,
    Referral,
    TermsAcceptance,
    TermsOfService,
    User,
)
from banking.queries.accountants import list_pending_terms
from banking.services import feed_changes
from banking.transitions import InvalidTransition, transition

ACCESSES, REFERRALS = "client-accesses", "referrals"  # kinds of the record feed
INVITATION_LIFETIME = timedelta(days=30)


class AlreadyInvited(Exception):
    """The firm has an access that is not revoked, or the accountant referred this email already."""


class TermsPending(Exception):
    """The business has terms of service to accept first."""


class TermsNotPublished(Exception):
    """The terms of service are not in force yet."""


@transaction.atomic
def invite_client(
    accountant: Accountant,
    business: Business,
    *,
    level: AccessLevel,
    ends_at: datetime | None = None,
    invitation: AccountantInvitation | None = None,
    at: datetime,
) -> ClientAccess:
    """Give a firm a pending access to a business, or make its revoked access pending again.

    Tells the bank's systems of the access. Raises: AlreadyInvited.
    """
    values: dict[str, Any] = {
        "accountant": accountant,
        "level": AccessLevel(level),
        "invited_at": at,
        "ends_at": ends_at,
        "invitation": invitation,
    }
    access, is_new = ClientAccess.objects.get_or_create(
        firm=accountant.firm,
        business=business,
        defaults={"status": AccessStatus.PENDING_TERMS, **values},
    )
    if is_new:
        feed_changes.announce(ACCESSES, [access], FeedResult.CREATED, at=at)
        return access
    feed_changes.announce(ACCESSES, [access], FeedResult.UPDATED, at=at)
    values |= {"granted_at": None, "revoked_at": None, "ended_here": False}
    try:
        transition(access, AccessStatus.PENDING_TERMS, **values)
    except InvalidTransition as exc:
        raise AlreadyInvited(f"{access} is {access.status}") from exc
    return access


@transaction.atomic
def accept_terms(
    business: Business, terms: TermsOfService, *, by: User | None, at: datetime
) -> TermsAcceptance:
    """Record that a business accepted terms; a second call changes nothing.

    Raises: TermsNotPublished.
    """
    if terms.published_at > at:
        raise TermsNotPublished(f"{terms} is published at {terms.published_at}")
    acceptance, _ = TermsAcceptance.objects.get_or_create(
        terms=terms, business=business, defaults={"accepted_by": by, "accepted_at": at}
    )
    return acceptance


@transaction.atomic
def grant_access(access: ClientAccess, *, at: datetime) -> ClientAccess:
    """Connect a firm to a business, by its pending access; tell the bank's systems.

    Raises: TermsPending unless the business has accepted all terms; InvalidTransition unless the
    access is pending and its end date has not come.
    """
    if list_pending_terms(access.business, at=at).exists():
        raise TermsPending(f"{access} waits for terms of service")
    feed_changes.announce(ACCESSES, [access], FeedResult.UPDATED, at=at)
    in_time = Q(ends_at=None) | Q(ends_at__gt=at)
    transition(access, AccessStatus.CONNECTED, only=in_time, granted_at=at)
    return access


@transaction.atomic
def revoke_access(access: ClientAccess, *, at: datetime) -> ClientAccess:
    """End an access, or a request for one: at once, or at its end date if that has come.

    No line of the record feed connects it again; only an invitation does. Raises: InvalidTransition
    if it is revoked already.
    """
    feed_changes.announce(ACCESSES, [access], FeedResult.UPDATED, at=at)
    revoked_at = access.ended_at(at) or at
    transition(access, AccessStatus.REVOKED, revoked_at=revoked_at, ended_here=True)
    return access


@transaction.atomic
def invite_referral(
    accountant: Accountant,
    *,
    business_name: str,
    owner_first_name: str,
    owner_last_name: str,
    email: str,
    at: datetime,
) -> Referral:
    """Save an invitation of a business to the bank, which the caller mails.

    A lapsed invitation of the email is renewed with a new code. Raises: AlreadyInvited if one is
    open, or the business has registered.
    """
    values = {
        "business_name": business_name,
        "owner_first_name": owner_first_name,
        "owner_last_name": owner_last_name,
        "status": ReferralStatus.INVITED,
        "invite_code": secrets.token_urlsafe(32),
        "invited_at": at,
        "expires_at": at + INVITATION_LIFETIME,
    }
    email = email.strip().lower()
    referral, is_new = accountant.referrals.get_or_create(email=email, defaults=values)
    lapsed = Q(status=ReferralStatus.EXPIRED) | Q(status=ReferralStatus.INVITED, expires_at__lte=at)
    result = FeedResult.CREATED if is_new else FeedResult.UPDATED
    feed_changes.announce(REFERRALS, [referral], result, at=at)
    if is_new:
        return referral
    if not accountant.referrals.filter(lapsed, pk=referral.pk).update(**values):
        raise AlreadyInvited(f"{referral} is {referral.status_at(at)}")
    referral.refresh_from_db()
    return referral


@transaction.atomic
def withdraw_referral(referral: Referral, *, at: datetime) -> Referral:
    """Mark a referral as expired: its link works no longer. Raises: InvalidTransition."""
    feed_changes.announce(REFERRALS, [referral], FeedResult.UPDATED, at=at)
    transition(referral, ReferralStatus.EXPIRED)
    return referral


@transaction.atomic
def register_referral(referral: Referral, *, at: datetime) -> Referral:
    """Record that the business began its application. Raises: InvalidTransition.

    The invitation may have expired meanwhile: the link was used before.
    """
    feed_changes.announce(REFERRALS, [referral], FeedResult.UPDATED, at=at)
    transition(referral, ReferralStatus.REGISTERED)
    return referral


@transaction.atomic
def complete_referral(referral: Referral, *, at: datetime) -> Referral:
    """Record that the business opened its account. Raises: InvalidTransition.

    An invitation that expired before the business registered cannot be completed.
    """
    feed_changes.announce(REFERRALS, [referral], FeedResult.UPDATED, at=at)
    in_time = Q(status=ReferralStatus.REGISTERED) | Q(expires_at__gt=at)
    transition(referral, ReferralStatus.COMPLETED, only=in_time, completed_at=at)
    return referral

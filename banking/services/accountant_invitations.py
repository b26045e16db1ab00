"""Invitations of accountants: made, sent again and withdrawn by owners and firms, and accepted.

An invitation looks the same to its sender whether or not a user has the address. A user who is no
accountant cannot accept it: a sign-in is for a business, for accountants or for staff.
"""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.crypto import constant_time_compare

from banking.choices import AccessLevel, AccessStatus, FeedResult, UserType
from banking.models import (
    Accountant,
    AccountantInvitation,
    Business,
    ClientAccess,
    Firm,
    User,
)
from banking.queries.accountants import list_pending_terms, list_terms
from banking.services import clients, feed_changes
from banking.transitions import InvalidTransition
from foundation.privacy.secret_digests import digest


class OwnAddress(Exception):
    """Nobody invites themselves."""


class AlreadyInvited(Exception):
    """The address has an open invitation of the business or firm."""


class HasAccess(Exception):
    """The accountant with this address has access to the business, or is of the firm, already."""


class InvitationClosed(Exception):
    """The invitation was accepted or withdrawn, or has expired."""


class TermsChanged(Exception):
    """The terms of service in force are not the terms that were shown."""


class Reader(Enum):
    """The user, if any, who has the address of an invitation."""

    NOBODY = auto()
    ACCOUNTANT = auto()
    OTHER = auto()


@dataclass(frozen=True)
class SentInvitation:
    """An invitation to mail, with the token of its link, which is stored nowhere."""

    invitation: AccountantInvitation
    token: str
    reader: Reader


@transaction.atomic
def invite(
    business: Business,
    *,
    email: str,
    level: AccessLevel,
    ends_at: datetime | None,
    by: User,
    at: datetime,
) -> SentInvitation:
    """Save an invitation of an accountant to a business, which the caller mails.

    An expired invitation of the address is replaced. Locks the business, so that two invitations of
    an address wait for each other. Raises: OwnAddress, HasAccess, AlreadyInvited.
    """
    Business.objects.select_for_update(of=("self",)).get(pk=business.pk)
    connected = business.accesses.connected(at=at)
    if connected.filter(firm__people__user__email=email.strip().lower()).exists():
        raise HasAccess
    invitation = AccountantInvitation(
        business=business, level=AccessLevel(level), ends_at=ends_at, email=email
    )
    return send_new(invitation, business.accountant_invitations.pending(), by=by, at=at)


def send_new(
    invitation: AccountantInvitation,
    others: "QuerySet[AccountantInvitation]",
    *,
    by: User,
    at: datetime,
) -> SentInvitation:
    """Save a new invitation, which the caller mails, and withdraw the expired one of its address.

    `others` are the pending invitations of the same business or firm, which the caller has locked.
    Raises: OwnAddress, AlreadyInvited.
    """
    invitation.email = invitation.email.strip().lower()
    if invitation.email == by.email:
        raise OwnAddress
    former = others.filter(email=invitation.email).first()
    if former and former.is_open(at):
        raise AlreadyInvited
    if former:
        withdraw(former, at=at)
    invitation.invited_by, invitation.invited_at = by, at
    return _send(invitation, at=at)


@transaction.atomic
def send_again(invitation: AccountantInvitation, *, at: datetime) -> SentInvitation:
    """Renew an invitation, also an expired one, for the caller to mail; the former link ends.

    Raises: InvitationClosed, also if the end date of the offered access has come.
    """
    locked = _lock(invitation)
    if locked.ends_at and locked.ends_at <= at:
        raise InvitationClosed
    return _send(locked, at=at)


@transaction.atomic
def withdraw(invitation: AccountantInvitation, *, at: datetime) -> None:
    """Withdraw an invitation, and revoke accesses that wait for it. Raises: InvitationClosed."""
    locked = _lock(invitation)
    locked.withdrawn_at = at
    locked.save(update_fields=["withdrawn_at"])
    for access in locked.accesses.filter(status=AccessStatus.PENDING_TERMS).order_by("pk"):
        clients.revoke_access(access, at=at)


def find_open(external_id: UUID, token: str, *, at: datetime) -> AccountantInvitation | None:
    """Return the invitation of a link by which somebody may still sign up, if there is one.

    None if the token is wrong, the invitation is not open, or a user has its address already.
    """
    found = AccountantInvitation.objects.open(at=at).filter(external_id=external_id)
    invitation = found.select_related("business", "firm").first()
    if invitation is None or not constant_time_compare(invitation.token_digest, digest(token)):
        return None
    return None if User.objects.filter(email=invitation.email).exists() else invitation


@transaction.atomic
def sign_up(
    external_id: UUID,
    token: str,
    *,
    first_name: str,
    last_name: str,
    firm_name: str = "",
    password: str,
    at: datetime,
) -> User:
    """Create an accountant for the invited address, and an access for each open invitation of it.

    Each access waits until `accept` is called. A firm's link makes the accountant a member of that
    firm, an owner's link founds a firm of the given name. Locks the invitation: of two sign-ups at
    once the second is refused. Raises: InvitationClosed.
    """
    AccountantInvitation.objects.select_for_update(of=("self",)).filter(
        external_id=external_id
    ).first()
    invitation = find_open(external_id, token, at=at)
    if invitation is None:
        raise InvitationClosed
    try:
        with transaction.atomic():
            accountant = create_accountant(
                invitation.email,
                first_name=first_name,
                last_name=last_name,
                firm_name=firm_name,
                joins=invitation if invitation.firm else None,
                password=password,
                at=at,
            )
    except IntegrityError as exc:  # by the link of another business, just now
        raise InvitationClosed from exc
    return accountant.user


@transaction.atomic
def create_accountant(
    email: str,
    *,
    first_name: str,
    last_name: str,
    firm_name: str,
    joins: AccountantInvitation | None = None,
    password: str | None = None,
    at: datetime,
) -> Accountant:
    """Create an accountant with a user, and an access for each open invitation of the address.

    The accountant joins the firm whose invitation is `joins`, or without it founds the firm
    `firm_name` and manages it. Each access waits until `accept` is called. Raises: IntegrityError
    if a user has the address.
    """
    user = User.objects.create_user(
        email,
        password,
        first_name=first_name,
        last_name=last_name,
        user_type=UserType.ACCOUNTANT,
    )
    accountant = Accountant.objects.create(
        user=user,
        firm=(joins and joins.firm) or Firm.objects.create(name=firm_name),
        is_manager=joins is None,
        invitation=joins,
        partner_referral_code=secrets.token_hex(5).upper(),
    )
    if joins:
        joins.accepted_at = at
        joins.save(update_fields=["accepted_at"])
    feed_changes.announce("users", [user], FeedResult.CREATED, at=at)
    feed_changes.announce("accountants", [accountant], FeedResult.CREATED, at=at)
    for invitation in AccountantInvitation.objects.open(at=at).filter(email=user.email):
        _attach(invitation, accountant, at=at)
    return accountant


@transaction.atomic
def accept(access: ClientAccess, *, shown: Iterable[UUID], by: User, at: datetime) -> ClientAccess:
    """Accept the terms of service in force and the invitation, and connect the accountant.

    `shown` are the external ids of the terms that the accountant was shown.
    An accountant accepts for the business those terms that nobody accepted for it before, and all
    of them for themselves. Raises: InvitationClosed, TermsChanged.
    """
    if access.invitation is None:
        raise InvitationClosed
    invitation = _lock(access.invitation)
    access = ClientAccess.objects.select_related("business").get(pk=access.pk)
    is_waiting = access.status == AccessStatus.PENDING_TERMS and access.invitation == invitation
    if not is_waiting or not invitation.is_open(at):
        raise InvitationClosed
    terms = list_terms(at=at)
    if {one.external_id for one in terms} != {*shown}:
        raise TermsChanged
    for one in list_pending_terms(access.business, at=at):
        clients.accept_terms(access.business, one, by=by, at=at)
    Accountant.objects.filter(user=by, terms_accepted_at=None).update(terms_accepted_at=at)
    invitation.accepted_at = at
    invitation.save(update_fields=["accepted_at"])
    try:
        return clients.grant_access(access, at=at)
    except InvalidTransition:  # ended by the owner, just now
        raise InvitationClosed from None


def _send(invitation: AccountantInvitation, *, at: datetime) -> SentInvitation:
    """Save an invitation with a new token, for the caller to mail.

    If an active accountant has the address, an owner's invitation gets a pending access.
    """
    token = secrets.token_urlsafe(32)
    invitation.token_digest = digest(token)
    invitation.sent_at, invitation.expires_at = at, at + settings.INVITATION_LIFETIME
    invitation.save()
    user = User.objects.filter(email=invitation.email).first()
    accountant = Accountant.objects.filter(user=user, user__is_active=True).first()
    if accountant:
        _attach(invitation, accountant, at=at)
        return SentInvitation(invitation, token, Reader.ACCOUNTANT)
    return SentInvitation(invitation, token, Reader.OTHER if user else Reader.NOBODY)


def _attach(invitation: AccountantInvitation, accountant: Accountant, *, at: datetime) -> None:
    """Give the accountant's firm a pending access for an owner's invitation, not for a firm's.

    A revoked access is renewed. A pending access takes the level and the end date of the newer
    invitation. A connected access stays as it is.
    """
    if invitation.business is None:
        return
    earlier = accountant.firm.accesses.filter(business=invitation.business)
    for access in earlier.exclude(status=AccessStatus.REVOKED):
        if access.invitation == invitation or access.status_at(at) == AccessStatus.CONNECTED:
            return
        clients.revoke_access(access, at=at)
    clients.invite_client(
        accountant,
        invitation.business,
        level=AccessLevel(invitation.level),
        ends_at=invitation.ends_at,
        invitation=invitation,
        at=at,
    )


def _lock(invitation: AccountantInvitation) -> AccountantInvitation:
    """Lock an invitation. Raises: InvitationClosed if it was accepted or withdrawn."""
    rows = AccountantInvitation.objects.select_for_update(of=("self",)).pending()
    locked = rows.filter(pk=invitation.pk).first()
    if locked is None:
        raise InvitationClosed
    return locked

"""Mails that invite accountants, as many as the limits allow."""

import hashlib
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction

from banking.choices import AccessLevel
from banking.models import AccountantInvitation, Business, User
from banking.services import accountant_invitations
from banking.services.accountant_invitations import Reader, SentInvitation
from foundation.throttling import rate_limits
from mcp_server.services import mails

WINDOW = timedelta(hours=1)
BY_ONE_BUSINESS = 10  # mails in WINDOW
TO_ONE_ADDRESS = 5  # mails in WINDOW


def invite(
    business: Business,
    *,
    email: str,
    level: AccessLevel,
    ends_at: datetime | None,
    by: User,
    at: datetime,
) -> None:
    """Invite an accountant, and mail the invitation to the address.

    Raises: RateLimited, OwnAddress, HasAccess, AlreadyInvited.
    """
    _spend(business, email, at=at)
    with transaction.atomic():
        _mail(
            accountant_invitations.invite(
                business, email=email, level=level, ends_at=ends_at, by=by, at=at
            )
        )


def send_again(invitation: AccountantInvitation, *, at: datetime) -> None:
    """Mail an invitation again, with a new link. Raises: RateLimited, InvitationClosed."""
    _spend(invitation.business, invitation.email, at=at)
    with transaction.atomic():
        _mail(accountant_invitations.send_again(invitation, at=at))


def _spend(business: Business, email: str, *, at: datetime) -> None:
    digest = hashlib.sha256(email.strip().lower().encode()).hexdigest()[:32]
    allowances = {
        f"accountant-invitations-by:{business.pk}": BY_ONE_BUSINESS,
        f"accountant-invitations-to:{digest}": TO_ONE_ADDRESS,
    }
    rate_limits.spend(allowances, at=at, window=WINDOW)


def _mail(sent: SentInvitation) -> None:
    """Mail an invitation after the commit; a thread sends it."""
    invitation = sent.invitation
    context = {
        "business_name": invitation.business.legal_name,
        "is_new": sent.reader == Reader.NOBODY,
        "is_accountant": sent.reader == Reader.ACCOUNTANT,
        "level": invitation.level,
        "last_day": invitation.last_day,
        "location": f"{settings.BASE_URL}/clients/join/{invitation.external_id}/{sent.token}",
        "days": settings.INVITATION_LIFETIME.days,
    }
    to = invitation.email
    transaction.on_commit(lambda: mails.executor.submit(_send, to, context))


def _send(address: str, context: dict[str, object]) -> None:
    mails.deliver(mails.compose("accountant_invitation", to=address, context=context))

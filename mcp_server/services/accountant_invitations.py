"""Invitations of accountants, saved and mailed, and the mail to the owner of a declined one.

An invitation above the limits of its sender or address raises RateLimited and is not saved.
"""

import hashlib
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction

from banking.choices import AccessLevel
from banking.models import AccountantInvitation, Business, ClientAccess, User
from banking.services import accountant_invitations
from banking.services.accountant_invitations import Reader, SentInvitation
from foundation.throttling import rate_limits
from mcp_server.services import mails

WINDOW = timedelta(hours=1)
BY_ONE_SENDER = 10  # mails in WINDOW, a business or a firm
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
    spend(str(business.pk), email, at=at)
    with transaction.atomic():
        mail(
            accountant_invitations.invite(
                business, email=email, level=level, ends_at=ends_at, by=by, at=at
            )
        )


def send_again(invitation: AccountantInvitation, *, at: datetime) -> None:
    """Mail an invitation again, with a new link. Raises: RateLimited, InvitationClosed."""
    firm = invitation.firm_id
    spend(f"firm-{firm}" if firm else str(invitation.business_id), invitation.email, at=at)
    with transaction.atomic():
        mail(accountant_invitations.send_again(invitation, at=at))


@transaction.atomic
def decline(access: ClientAccess, *, at: datetime) -> None:
    """Decline, for a firm, the invitation from which an access comes; mail the owner who sent it.

    Raises: InvitationClosed if the access came of no invitation, or if it is no longer open.
    """
    if access.invitation is None:
        raise accountant_invitations.InvitationClosed
    accountant_invitations.withdraw(access.invitation, at=at)
    context: dict[str, object] = {"firm_name": " ".join(access.firm.name.split())}
    to = access.invitation.invited_by.email
    mails.queue("invitation_declined", to=to, context=context, at=at)


def spend(sender: str, email: str, *, at: datetime) -> None:
    """Count a mail against the limits of a business or firm and of an address.

    Raises: RateLimited.
    """
    digest = hashlib.sha256(email.strip().lower().encode()).hexdigest()[:32]
    allowances = {
        f"accountant-invitations-by:{sender}": BY_ONE_SENDER,
        f"accountant-invitations-to:{digest}": TO_ONE_ADDRESS,
    }
    rate_limits.spend(allowances, at=at, window=WINDOW)


def mail(sent: SentInvitation) -> None:
    """Queue the mail of an invitation."""
    invitation = sent.invitation
    business, firm, by = invitation.business, invitation.firm, invitation.invited_by
    context: dict[str, object] = {
        "business_name": business and business.legal_name,
        "firm_name": firm and " ".join(firm.name.split()),  # a subject has no line breaks
        "colleague": " ".join(by.get_full_name().split()) or by.email,
        "is_new": sent.reader == Reader.NOBODY,
        "is_accountant": sent.reader == Reader.ACCOUNTANT,
        "level": invitation.level,
        "last_day": invitation.last_day,
        "location": f"{settings.BASE_URL}/clients/join/{invitation.external_id}/{sent.token}",
        "days": settings.INVITATION_LIFETIME.days,
    }
    to, template = invitation.email, "firm_invitation" if firm else "accountant_invitation"
    mails.queue(template, to=to, context=context)

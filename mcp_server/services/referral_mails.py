"""Invitations of referred businesses, mailed for their accountant."""

import hashlib
from datetime import datetime, timedelta

from banking.models import Accountant, Referral
from banking.queries import referrals
from foundation.throttling import rate_limits
from mcp_server.services import mails

WINDOW = timedelta(hours=1)
BY_ONE_ACCOUNTANT = 20  # mails in WINDOW
TO_ONE_ADDRESS = 5


def send(accountant: Accountant, referral: Referral, *, at: datetime) -> None:
    """Queue the mail with the invitation link to the referred business.

    Raises: NotInvited unless the invitation is open, RateLimited.
    """
    invitation = referrals.get_invitation(accountant, referral.external_id, at=at)
    digest = hashlib.sha256(referral.email.encode()).hexdigest()[:32]  # short, and nobody's address
    allowances = {
        f"referral-mails-by:{accountant.pk}": BY_ONE_ACCOUNTANT,
        f"referral-mails-to:{digest}": TO_ONE_ADDRESS,
    }
    rate_limits.spend(allowances, at=at, window=WINDOW)
    context = {
        "firm": _in_one_line(accountant.firm_name),
        "accountant": _in_one_line(accountant.user.get_full_name()),
        "business": _in_one_line(referral.business_name),
        "first_name": _in_one_line(referral.owner_first_name),
        "last_name": _in_one_line(referral.owner_last_name),
        "url": invitation.url,
        "expires_at": invitation.expires_at,
    }
    mails.queue("referral_invitation", to=referral.email, context=context, at=at)


def _in_one_line(name: str) -> str:
    """Return a name without line breaks, which a subject may not have."""
    return " ".join(name.split())

"""Staff accounts: the mails that tell a member of staff about their account."""

from collections.abc import Sequence
from datetime import datetime

from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.template.loader import render_to_string

from banking.models import User
from banking.services import invitations

MAILS = "banking/mail"


def invite(user: User) -> None:
    """Mail a new member of staff the link to choose a first password. Raises: OSError."""
    context = {
        "location": invitations.location(user),
        "days": settings.INVITATION_LIFETIME.days,
        "password_reset": f"{settings.BASE_URL}/password-reset",
    }
    _send("staff_invitation", "Your account in the back office of {}", context, [user.email])


@transaction.atomic
def record_extension(
    user: User, changes: Sequence[str], *, at: datetime, also_to: Sequence[str] = ()
) -> None:
    """Record that somebody else extended the access of a member of staff, and mail the user.

    Until SECOND_PERSON_WAIT is over, the user does not count for decisions that need two people.
    A mail that fails is logged; the change stands.
    """
    user.access_changed_at = at
    user.save(update_fields=["access_changed_at"])
    context: dict[str, object] = {"changes": changes}
    subject = "Your account in the back office of {} was changed"
    addresses = [user.email, *also_to]
    transaction.on_commit(
        lambda: _send("staff_account_changed", subject, context, addresses), robust=True
    )


def _send(
    template: str, subject: str, context: dict[str, object], addresses: Sequence[str]
) -> None:
    text = render_to_string(f"{MAILS}/{template}.txt", {"bank_name": settings.BANK_NAME, **context})
    for address in addresses:  # in mails of their own: nobody reads the other addresses
        send_mail(subject.format(settings.BANK_NAME), text, None, [address])

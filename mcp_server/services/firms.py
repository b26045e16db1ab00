"""Firms of accountants: mails to invited colleagues, and the end of a removed person's tokens."""

from datetime import datetime

from django.db import transaction

from banking.models import Accountant
from banking.services import firms
from mcp_server.services import accountant_invitations as mails
from mcp_server.services import connections


def invite(by: Accountant, *, email: str, at: datetime) -> None:
    """Invite a colleague, and mail the invitation to the address.

    Raises: RateLimited, NotManager, OwnAddress, HasAccess, AlreadyInvited.
    """
    mails.spend(f"firm-{by.firm_id}", email, at=at)
    with transaction.atomic():
        mails.mail(firms.invite(by, email=email, at=at))


@transaction.atomic
def remove(person: Accountant, *, by: Accountant, at: datetime) -> None:
    """Remove a person, who loses the tokens of all assistants at once.

    Raises: NotManager, LastManager, Accountant.DoesNotExist.
    """
    firms.remove(person, by=by, at=at)
    connections.end_all(person.user, at=at)

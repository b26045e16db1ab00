"""Reminder links: the links in mails by which applicants stop reminders without signing in."""

from uuid import UUID

from django.conf import settings
from django.core.signing import BadSignature, Signer

from onboarding.models import Application, OwnerInvitation
from onboarding.queries.applications import get_current_attempt

signer = Signer(sep=".", salt="vestibule.reminders")


def location(application: Application) -> str:
    """Return the URL that stops the reminders about an application, and gives no other access."""
    return f"{settings.BASE_URL}/reminders/{signer.sign(application.external_id.hex)}"


def get_application(token: str) -> Application:
    """Return the current attempt of the lead for whom a token was signed.

    `token` is the last part of the URL of `location`. Raises: Application.DoesNotExist, also for a
    token that is not signed by us.
    """
    try:
        external_id = UUID(signer.unsign(token))
    except BadSignature:
        raise Application.DoesNotExist from None
    return get_current_attempt(Application.objects.only("lead").get(external_id=external_id))


def owner_location(invitation: OwnerInvitation) -> str:
    """Return the URL that stops the reminders to an owner, and gives no other access.

    Its signature depends on the owner's email, so the URL stops working when the email changes.
    """
    owner = invitation.owner
    token = _of_address(owner.email).sign(owner.external_id.hex)
    return f"{settings.BASE_URL}/reminders/owner/{token}"


def get_invitation(token: str) -> OwnerInvitation:
    """Return the invitation of the owner for whom a token was signed.

    `token` is the last part of the URL of `owner_location`. Raises: OwnerInvitation.DoesNotExist,
    also if the owner's email has changed since.
    """
    found = OwnerInvitation.objects.select_related("owner__lead__partner")
    try:
        invitation = found.get(owner__external_id=UUID(token.partition(".")[0]))
        _of_address(invitation.owner.email).unsign(token)
    except (ValueError, BadSignature):
        raise OwnerInvitation.DoesNotExist from None
    return invitation


def _of_address(email: str) -> Signer:
    return Signer(sep=".", salt=f"vestibule.reminders.owners.{email}")

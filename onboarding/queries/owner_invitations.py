"""Reads of owners' invitations: by the owner's link, and by the owner's id."""

from datetime import datetime

from foundation.privacy.secret_digests import digest
from onboarding.choices import InvitationStatus, StatusGroup
from onboarding.models import Application, OwnerInvitation, Partner

OPEN = [InvitationStatus.INVITED, InvitationStatus.COMPLETED]


class OwnerLinkOver(Exception):
    """The owner's link gives no access. `application` is the lead's current application."""

    def __init__(self, invitation: OwnerInvitation, application: Application) -> None:
        self.invitation, self.application = invitation, application
        super().__init__(str(invitation))


class OwnerPartClosed(OwnerLinkOver):
    """The application has ended, or the applicant has taken over the owner's part."""


class OwnerLinkExpired(OwnerLinkOver):
    """The link has expired."""


class OwnerLinkReplaced(OwnerLinkExpired):
    """A newer link of the owner has replaced this link."""


def open_owner_link(link: str, *, at: datetime) -> tuple[OwnerInvitation, Application]:
    """Return the invitation of an owner's link, and the lead's current application.

    Raises: OwnerInvitation.DoesNotExist for an unknown link, and after the removal of the owner;
    OwnerPartClosed, OwnerLinkReplaced, OwnerLinkExpired.
    """
    invitation = find_invitation(link)
    applications = Application.objects.select_related("lead__partner")
    application = applications.get(lead=invitation.owner.lead_id, is_current=True)
    if invitation.status not in OPEN or application.group is StatusGroup.CLOSED:
        raise OwnerPartClosed(invitation, application)
    if invitation.link_digest != digest(link):
        raise OwnerLinkReplaced(invitation, application)
    if invitation.link_expires_at <= at:
        raise OwnerLinkExpired(invitation, application)
    return invitation, application


def find_invitation(link: str) -> OwnerInvitation:
    """Return the invitation of an owner's link, replaced or not.

    Two statements, as an OR over both tables uses no index. Raises: OwnerInvitation.DoesNotExist.
    """
    invitations = OwnerInvitation.objects.select_related("owner__lead__partner")
    found = invitations.filter(link_digest=digest(link)).first()
    return found or invitations.get(owner__replaced_links__digest=digest(link))


def find_owners_partner(link: str) -> Partner | None:
    """Return the partner of an owner's link, replaced or not; None for an unknown link."""
    try:
        return find_invitation(link).owner.lead.partner
    except OwnerInvitation.DoesNotExist:
        return None


def opens(invitation: OwnerInvitation, link: str) -> bool:
    """Return whether an invitation is invited or completed, and this link is its newest.

    The expiry of the link is not checked.
    """
    return invitation.status in OPEN and invitation.link_digest == digest(link)

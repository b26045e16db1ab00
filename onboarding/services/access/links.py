"""Access to an application: the applicant's link, and the single-use token of the embedded flow.

The link is derived from a key, the application and a version, so a repeated create returns the
same link although only its digest is stored. A token is random; only its digest is stored.
"""

import base64
import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.core.signing import Signer

from foundation.privacy.secret_digests import digest
from onboarding.models import Application, OwnerInvitation, PhoneLink, ReplacedLink

TOKEN_SALT = "vestibule.flow.token"  # noqa: S105 - a salt, not a secret


@dataclass(frozen=True)
class Access:
    """Access to an application: the link for the applicant, the token for the embedding page."""

    location: str
    location_expires_at: datetime
    token: str
    token_expires_at: datetime


def grant(application: Application, *, at: datetime) -> Access:
    """Set a new token, and the link with its full lifetime, on the application, without saving it.

    The link itself changes only with `link_version`. An older token becomes invalid.
    """
    token = Signer(salt=TOKEN_SALT).sign(secrets.token_urlsafe(32))
    application.link_digest = digest(derive_link(application))
    application.link_expires_at = at + settings.LINK_LIFETIME
    application.token_digest = digest(token)
    application.token_expires_at = at + settings.TOKEN_LIFETIME
    application.token_used_at = None
    return Access(
        location=location(application),
        location_expires_at=application.link_expires_at,
        token=token,
        token_expires_at=application.token_expires_at,
    )


def regrant(application: Application, *, at: datetime) -> Access:
    """Give a stored application a new token, and its link the full lifetime; save both.

    The link changes only if the caller has changed `link_version`. An older token becomes invalid.
    """
    access = grant(application, at=at)
    application.save(update_fields=GRANTED)
    return access


def replace_link(application: Application, *, at: datetime) -> Access:
    """Give a stored application a new link and token, and save them. Call it in a transaction.

    The old link can only be used to request the new link by mail.
    """
    ReplacedLink.objects.create(
        application=application, digest=application.link_digest, replaced_at=at
    )
    application.link_version += 1
    return regrant(application, at=at)


def location(application: Application) -> str:
    """Return the URL of the applicant's link."""
    return f"{settings.BASE_URL}/apply/{derive_link(application)}"


def derive_link(application: Application) -> str:
    """Return the 256-bit secret part of the applicant's link."""
    return _derive(f"{application.external_id}:{application.link_version}")


def grant_owner(invitation: OwnerInvitation, *, at: datetime) -> None:
    """Set the link and its full lifetime on an owner's invitation, without saving the invitation.

    As long as `link_version` is the same, the link is the same, and only its lifetime is extended.
    """
    invitation.link_digest = digest(derive_owner_link(invitation))
    invitation.link_expires_at = at + settings.LINK_LIFETIME


def replace_owner_link(
    invitation: OwnerInvitation, application: Application, *, at: datetime
) -> None:
    """Set a new link on an owner's invitation, without saving it; the old link gives no access.

    Saves the digest of the old link, so that the owner can use it to request the new link.
    """
    ReplacedLink.objects.create(
        application=application,
        owner=invitation.owner,
        digest=invitation.link_digest,
        replaced_at=at,
    )
    invitation.link_version += 1
    grant_owner(invitation, at=at)


def owner_location(invitation: OwnerInvitation) -> str:
    """Return the URL of an owner's link."""
    return f"{settings.BASE_URL}/apply/owner/{derive_owner_link(invitation)}"


def derive_owner_link(invitation: OwnerInvitation) -> str:
    """Return the 256-bit secret part of an owner's link."""
    return _derive(f"owner:{invitation.owner.external_id}:{invitation.link_version}")


def phone_location(link: PhoneLink) -> str:
    """Return the URL of a link for a phone."""
    return f"{settings.BASE_URL}/apply/phone/{derive_phone_link(link.external_id)}"


def derive_phone_link(external_id: UUID) -> str:
    """Return the 256-bit secret part of a link for a phone."""
    return _derive(f"phone:{external_id}")


def _derive(message: str) -> str:
    mac = hmac.digest(settings.LINK_KEY.encode(), message.encode(), hashlib.sha256)
    return base64.urlsafe_b64encode(mac).rstrip(b"=").decode()


GRANTED = [
    "link_version",
    "link_digest",
    "link_expires_at",
    "token_digest",
    "token_expires_at",
    "token_used_at",
]

"""Reads of the links for phones."""

from datetime import datetime
from uuid import UUID

from django.db.models import F

from foundation.privacy.secret_digests import digest
from onboarding.choices import ApplicationStatus, Supplier
from onboarding.models import FlowSession, Partner, PhoneLink


def find_open(token: str, *, at: datetime) -> PhoneLink:
    """Return the link of a token while it may be used, with its session, application and partner.

    Raises: PhoneLink.DoesNotExist if the link is unknown, closed or expired, its session has
    expired, a newer attempt exists, the application's status changed after the link was made, or
    the status takes no documents.
    """
    found = PhoneLink.objects.filter(
        digest=digest(token),
        closed_at=None,
        expires_at__gt=at,
        session__expires_at__gt=at,
        session__application__is_current=True,
        session__application__status_changed_at__lte=F("created_at"),
    )
    rows = found.select_related("session__application__lead__partner", "session__owner", "owner")
    link = rows.get()
    if not ApplicationStatus(link.session.application.status).takes_documents:
        raise PhoneLink.DoesNotExist
    return link


def find_entered(token: str, key: str, *, at: datetime) -> PhoneLink:
    """Return the open link that the phone with this key has entered.

    Raises: PhoneLink.DoesNotExist.
    """
    link = find_open(token, at=at)
    if not key or link.entered_at is None or link.key_digest != digest(key):
        raise PhoneLink.DoesNotExist
    return link


def find_completed(token: str, key: str, *, at: datetime) -> PhoneLink:
    """Return the link by which the phone with this key has sent all, until the link's time is over.

    Raises: PhoneLink.DoesNotExist.
    """
    links = PhoneLink.objects.select_related("session__application__lead__partner")
    found = links.filter(digest=digest(token), is_complete=True, expires_at__gt=at)
    return found.get(key_digest=digest(key))


def find_partner(token: str) -> Partner | None:
    """Return the partner of a link, whether it may be used or not; None for an unknown link."""
    links = PhoneLink.objects.select_related("session__application__lead__partner")
    link = links.filter(digest=digest(token)).first()
    return link.session.application.lead.partner if link else None


def get_of_session(session: FlowSession, phone_id: UUID) -> PhoneLink:
    """Return a link that was made in a session. Raises: PhoneLink.DoesNotExist."""
    return PhoneLink.objects.select_related("owner").get(session=session, external_id=phone_id)


def supplier_of(link: PhoneLink) -> Supplier:
    """Return OWNER if the session of an owner made the link, else APPLICANT."""
    return Supplier.OWNER if link.session.owner_id else Supplier.APPLICANT

"""Phone links: made in a session of the flow, opened once by a phone to take pictures, and ended.

The pictures are those of an identity document.
"""

import secrets
from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import transaction
from uuid_utils.compat import uuid7

from foundation.privacy.secret_digests import digest
from foundation.throttling import rate_limits
from onboarding.choices import Role
from onboarding.event_types import EventType
from onboarding.models import Document, FlowSession, Owner, PhoneLink
from onboarding.queries.leads import lock_application
from onboarding.queries.phone_links import find_open, supplier_of
from onboarding.services.access import links
from onboarding.services.access.access_codes import HOUR
from onboarding.services.applications.attempts import lock_open
from onboarding.services.events import history
from onboarding.services.events.history import Actor


class TooManyPhoneLinks(Exception):
    """As many links as are allowed per hour were made for the lead."""


@transaction.atomic
def make(session: FlowSession, *, owner_id: UUID | None, at: datetime) -> PhoneLink:
    """Make a link for the identification of the applicant or, with `owner_id`, of an owner.

    The session's former links end. In the session of an owner the link is for that owner, and
    `owner_id` is ignored.
    Raises: ApplicationClosed, CustomerAlreadyOnboarded, Owner.DoesNotExist, TooManyPhoneLinks.
    """
    locked = lock_open(session.application)
    owner = session.owner
    if owner is None and owner_id:
        owner = Owner.objects.get(lead=locked.lead, external_id=owner_id)
    [made] = rate_limits.count([f"phone-links:{locked.lead.external_id}"], at=at, window=HOUR)
    if made.count > settings.PHONE_LINKS_PER_HOUR:
        raise TooManyPhoneLinks
    PhoneLink.objects.filter(session=session, closed_at=None).update(closed_at=at)
    external_id = uuid7()
    link = PhoneLink.objects.create(
        external_id=external_id,
        session=session,
        owner=owner,
        digest=digest(links.derive_phone_link(external_id)),
        created_at=at,
        expires_at=at + settings.PHONE_LINK_LIFETIME,
    )
    history.record(locked, EventType.PHONE_LINKED, by=_actor(link), at=at, **_whose(link))
    return link


@transaction.atomic
def enter(token: str, *, at: datetime) -> str:
    """Let the first phone that opens a link use it, and return a secret key for that phone.

    `token` is the secret part of the link's URL. Only the digest of the key is stored. Records a
    PHONE_ENTERED event. Raises: PhoneLink.DoesNotExist if the link may not be used, or a phone has
    opened it before.
    """
    link = find_open(token, at=at)
    locked = lock_application(pk=link.session.application_id)
    key = secrets.token_urlsafe(32)
    unused = PhoneLink.objects.filter(pk=link.pk, entered_at=None, closed_at=None)
    if locked is None or not unused.update(entered_at=at, key_digest=digest(key)):
        raise PhoneLink.DoesNotExist
    history.record(locked, EventType.PHONE_ENTERED, by=_actor(link), at=at, **_whose(link))
    return key


def close(link: PhoneLink, *, at: datetime) -> None:
    """End a link without completing it; a link that has ended already stays as it is."""
    PhoneLink.objects.filter(pk=link.pk, closed_at=None).update(closed_at=at)


def complete(link: PhoneLink, *, at: datetime) -> None:
    """Mark an open link as complete, after the phone has sent all pictures, and end it."""
    open_link = PhoneLink.objects.filter(pk=link.pk, closed_at=None)
    open_link.update(closed_at=at, is_complete=True)


@transaction.atomic
def record_uploads(link: PhoneLink, sent: Iterable[Document]) -> None:
    """Record on a link the files that its phone has sent; the phone's pages list no other files.

    Locks the link's row.
    """
    locked = PhoneLink.objects.select_for_update(of=("self",), no_key=True).get(pk=link.pk)
    link.uploads = [*locked.uploads, *(str(one.external_id) for one in sent)]
    link.save(update_fields=["uploads"])


def _actor(link: PhoneLink) -> Actor:
    return Actor(Role(supplier_of(link)))


def _whose(link: PhoneLink) -> dict[str, str]:
    return {"ubo_id": str(link.owner.external_id)} if link.owner else {}

"""Reads of applications by the way into them."""

import hashlib
from datetime import datetime

from onboarding.models import Application


class LinkExpired(Exception):
    """The link was good once."""


def get_application_by_link(link: str, *, at: datetime) -> Application:
    """Return the application that the applicant's link opens, with lead and partner.

    Raises: Application.DoesNotExist for a link that never was or was replaced, LinkExpired.
    """
    application = Application.objects.select_related("lead__partner").get(link_digest=digest(link))
    if application.link_expires_at <= at or not application.is_current:
        raise LinkExpired
    return application


def digest(secret: str) -> str:
    """Return the form in which a link, or a token, is stored and found."""
    return hashlib.sha256(secret.encode()).hexdigest()

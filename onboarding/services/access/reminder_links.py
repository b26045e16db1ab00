"""Reminder links: the links in mails by which applicants stop reminders without signing in."""

from uuid import UUID

from django.conf import settings
from django.core.signing import BadSignature, Signer

from onboarding.models import Application
from onboarding.queries.applications import get_current_attempt

signer = Signer(sep=".", salt="vestibule.reminders")


def location(application: Application) -> str:
    """Return the URL that stops the reminders about an application, and gives no other access."""
    return f"{settings.BASE_URL}/reminders/{signer.sign(application.external_id.hex)}"


def get_application(token: str) -> Application:
    """Return the current attempt of the lead of a link. Raises: Application.DoesNotExist."""
    try:
        external_id = UUID(signer.unsign(token))
    except BadSignature:
        raise Application.DoesNotExist from None
    return get_current_attempt(Application.objects.only("lead").get(external_id=external_id))

"""Messages: what the bank has written to an applicant, and says of a denial."""

from datetime import datetime

from django.db.models import QuerySet

from onboarding.choices import DenialReason
from onboarding.event_types import EventType
from onboarding.models import Application, Event, Note


def list_messages(application: Application) -> QuerySet[Note]:
    """Return the notes to the applicant, the newest first."""
    return application.notes.filter(is_for_applicant=True).order_by("-at", "-pk")


def get_message(application: Application, *, at: datetime) -> Note | None:
    """Return the newest note to the applicant as of a moment; None before the first one."""
    return list_messages(application).filter(at__lte=at).first()


def explain_denial(application: Application) -> str:
    """Return what the applicant is told of a denial: the words of staff, or else of its reasons.

    In the reader's language; of several reasons each is a paragraph. Empty without any.
    """
    if application.applicant_text:
        return application.applicant_text
    denied = Event.objects.filter(application=application, type=EventType.DENIED)
    event = denied.order_by("-number").first()
    codes = event.details.get("reason_codes", []) if event else []
    return "\n\n".join(DenialReason(code).applicant_text for code in codes)

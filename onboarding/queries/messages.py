"""Messages: the bank's notes to an applicant, and the explanation of a denial."""

from datetime import datetime

from django.db.models import QuerySet

from onboarding.choices import DenialReason
from onboarding.event_types import EventType
from onboarding.models import Application, Event, Note

MAX_REPLIES = 10  # since the bank's newest message


def list_messages(application: Application) -> QuerySet[Note]:
    """Return the notes to the applicant, newest first."""
    return application.notes.filter(is_for_applicant=True).order_by("-at", "-pk")


def can_reply(application: Application) -> bool:
    """Return whether the applicant may answer the bank's newest message.

    False without a message, after MAX_REPLIES replies to it, and for an application that is not the
    current one.
    """
    newest = list_messages(application).first()
    if newest is None or not application.is_current:
        return False
    return application.replies.filter(at__gte=newest.at).count() < MAX_REPLIES


def get_message(application: Application, *, at: datetime) -> Note | None:
    """Return the newest note to the applicant at a given time; None before the first note."""
    return list_messages(application).filter(at__lte=at).first()


def explain_denial(application: Application) -> str:
    """Return the explanation of a denial for the applicant: staff's text, else its reasons' texts.

    Texts of reasons are in the current language, in a paragraph each. Empty without reasons.
    """
    if application.applicant_text:
        return application.applicant_text
    denied = Event.objects.filter(application=application, type=EventType.DENIED)
    event = denied.order_by("-number").first()
    codes = event.details.get("reason_codes", []) if event else []
    return "\n\n".join(DenialReason(code).applicant_text for code in codes)

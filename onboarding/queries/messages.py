"""Messages: what the bank has written to an applicant."""

from datetime import datetime

from django.db.models import QuerySet

from onboarding.models import Application, Note


def list_messages(application: Application) -> QuerySet[Note]:
    """Return the notes to the applicant, the newest first."""
    return application.notes.filter(is_for_applicant=True).order_by("-at", "-pk")


def get_message(application: Application, *, at: datetime) -> Note | None:
    """Return the newest note to the applicant as of a moment; None before the first one."""
    return list_messages(application).filter(at__lte=at).first()

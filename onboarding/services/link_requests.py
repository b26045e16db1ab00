"""Requests for a new link: it goes to the lead's email, to nobody else."""

from datetime import datetime

from django.conf import settings
from django.db import transaction

from banking.services import limits
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import EventType, MailKind, StatusGroup
from onboarding.models import Application
from onboarding.queries.applications import digest
from onboarding.queries.leads import lock_application
from onboarding.services import history, links, mails
from onboarding.services.access_codes import HOUR
from onboarding.services.history import APPLICANT


def request_link(link: str, *, language: str, at: datetime) -> None:
    """Mail the lead of a link, which may have expired, the way into its current attempt.

    An expired link is replaced. Whoever asks learns nothing: a link that is none of ours, an
    application that has ended and too many requests are passed over.
    """
    known = Application.objects.filter(link_digest=digest(link)).only("lead").first()
    if known is None:
        return
    [asked] = limits.count([f"links:{known.lead_id}"], at=at, window=HOUR)
    if asked.count <= settings.CODES_PER_HOUR:
        _mail_link(known.lead_id, language, at)


@transaction.atomic
def _mail_link(lead_id: int, language: str, at: datetime) -> None:
    application = lock_application(lead=lead_id)
    if application is None or Status(application.status).group is StatusGroup.CLOSED:
        return
    event = None
    if application.link_expires_at <= at:
        links.replace_link(application, at=at)
        event = history.record(application, EventType.LINK_REPLACED, by=APPLICANT, at=at)
    mails.queue(MailKind.LINK, application=application, event=event, language=language, at=at)

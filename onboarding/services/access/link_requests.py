"""Link requests: applicants with an old link get the current link by mail to the lead's email."""

from datetime import datetime

from django.conf import settings
from django.db import transaction

from foundation.privacy.secret_digests import digest
from foundation.throttling import rate_limits
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import StatusGroup
from onboarding.event_types import EventType, MailKind
from onboarding.models import Application
from onboarding.queries.applications import get_current_attempt
from onboarding.queries.leads import lock_application
from onboarding.services.access import links
from onboarding.services.access.access_codes import HOUR
from onboarding.services.events import history
from onboarding.services.events.history import APPLICANT
from onboarding.services.mails import outbox


def request_link(link: str, *, language: str, at: datetime) -> Application | None:
    """Mail the link of the current attempt to the lead to whom an old or current `link` belongs.

    `link` is the secret part of the URL. If the link of the current attempt has expired, a new link
    is mailed. Unknown links, and requests over the limit, are silently ignored. Returns the current
    application if it has ended, and mails nothing; otherwise returns None.
    """
    known = _find_application(link)
    if known is None:
        return None
    current = get_current_attempt(known)
    if current.group is StatusGroup.CLOSED:
        return current
    [asked] = rate_limits.count([f"links:{known.lead_id}"], at=at, window=HOUR)
    if asked.count <= settings.CODES_PER_HOUR:
        mail_link(known.lead_id, language=language, at=at)
    return None


def _find_application(link: str) -> Application | None:
    """Return the application of an applicant's link, current or replaced; None if unknown.

    Two statements, because an OR over both tables uses no index and reads every application.
    """
    applications, sought = Application.objects.only("lead"), digest(link)
    found = applications.filter(link_digest=sought).first()
    replaced = {"replaced_links__digest": sought, "replaced_links__owner": None}
    return found or applications.filter(**replaced).first()


@transaction.atomic
def mail_link(lead_id: int, *, language: str, at: datetime) -> None:
    """Queue a mail to the lead with the link of its current application.

    An expired link is replaced first. Nothing is mailed if the application has ended.
    """
    application = lock_application(lead=lead_id)
    if application is None or Status(application.status).group is StatusGroup.CLOSED:
        return
    event = None
    if application.link_expires_at <= at:
        links.replace_link(application, at=at)
        event = history.record(application, EventType.LINK_REPLACED, by=APPLICANT, at=at)
    outbox.queue(MailKind.LINK, application=application, event=event, language=language, at=at)

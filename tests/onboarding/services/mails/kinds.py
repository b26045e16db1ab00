"""The kinds of mails, and an application about which each is true."""

from datetime import date, timedelta

from onboarding.choices import ApplicationStatus as Status
from onboarding.event_types import CHANGE_MAILS, STAFF_MAILS, MailKind
from onboarding.models import Application
from tests.factories import NOON

SECOND = timedelta(seconds=1)
STATUSES = {  # of the mails that are true in another status than IN_PROGRESS
    MailKind.LINK: Status.CREATED,
    MailKind.EXPIRED: Status.EXPIRED,
    MailKind.WITHDRAWN: Status.WITHDRAWN,
    MailKind.SUBMITTED: Status.SUBMITTED,
    MailKind.WANTED: Status.DOCUMENTS_REQUIRED,
    MailKind.REMINDER: Status.DOCUMENTS_REQUIRED,
    MailKind.APPROVED: Status.APPROVED,
    MailKind.APPROVED_TEMPORARY: Status.APPROVED_TEMPORARY,
    MailKind.TEMPORARY_ENDING: Status.APPROVED_TEMPORARY,
    MailKind.DENIED: Status.DENIED,
    MailKind.REOPENED: Status.CREATED,
    MailKind.MESSAGE: Status.IN_REVIEW,
    MailKind.INVITATION: Status.APPROVED,
    MailKind.OWNER_INVITATION: Status.APPROVED,
    **dict.fromkeys(CHANGE_MAILS, Status.APPROVED),
}
TO_PARTNERS = {MailKind.KEY_EXPIRY, MailKind.WEBHOOK_FAILING, MailKind.WEBHOOK_DISABLED}
TO_APPLICANTS = [kind for kind in MailKind if kind not in TO_PARTNERS | STAFF_MAILS]


def in_status(kind):
    """Move the application to a status in which the mail is true."""
    Application.objects.update(
        status=STATUSES.get(kind, Status.IN_PROGRESS),
        expiration_date=date(2026, 4, 1),
        submitted_at=NOON,
    )

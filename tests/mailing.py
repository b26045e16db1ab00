"""What the worker does with mails, for tests that have none."""

from django.core import mail
from django.utils import timezone

from banking.models import Job
from banking.services import jobs, mails
from banking.tasks import send_mail
from mcp_server.periodic import mail_failed_sign_ins, mail_password_reset
from mcp_server.services import password_resets, sign_in_notices
from onboarding.services.mails import outbox

MOST = 100
KINDS = {
    mails.KIND: send_mail,
    password_resets.KIND: mail_password_reset,
    sign_in_notices.KIND: mail_failed_sign_ins,
}


def deliver_mails(*, at=None):
    """Send the mails that are due and return how many were tried."""
    at = at or timezone.now()
    due = outbox.dispatch(at=at, limit=MOST)
    for pk, attempt in due:
        outbox.send(pk, attempt=attempt, at=at)
    return len(due)


def send_queued():
    """Run the jobs that mail users, as a worker does; a job that fails waits for its retry."""
    for job in Job.objects.open().filter(kind__in=KINDS).order_by("pk"):
        jobs.run(job.pk, attempt=job.attempts, clock=timezone.now)


def mailed():
    """Return the mails that were sent, after the queued ones were."""
    send_queued()
    return mail.outbox

"""Mails to users about failed sign-ins at their account.

Failures are counted since the last success, from all browsers together. Whether an account exists
makes no difference to what is counted, nor to the time of the answer: a worker writes the mail.
"""

from datetime import datetime, timedelta

from django.conf import settings

from banking.models import RateWindow, User
from banking.services import mails as outbox
from foundation.jobs.registry import JobContext
from foundation.throttling import rate_limits
from mcp_server.services import mails, sign_in_attempts

KIND = "mail_failed_sign_ins"
MILESTONES = (5, 20)  # failures since the last success
MAIL_INTERVAL = timedelta(days=1)  # at most one mail


def report_failure(email: str, *, at: datetime) -> None:
    """Count a failed sign-in, and mail the user at the milestones.

    A milestone within MAIL_INTERVAL of the last mail is mailed at the first failure afterwards.
    """
    if settings.RATE_LIMIT_FACTOR == 0:
        return
    failures, *milestones = _subjects(email)
    [counted] = rate_limits.count([failures], at=at, window=sign_in_attempts.FAILURE_WINDOW)
    reached = [
        subject
        for least, subject in zip(MILESTONES, milestones, strict=True)
        if counted.count >= least
    ]
    if not reached or _is_counted(reached[-1], at=at):
        return
    [mailed] = rate_limits.count([f"{failures}:mailed"], at=at, window=MAIL_INTERVAL)
    if mailed.count > 1:
        return
    rate_limits.count([reached[-1]], at=at, window=sign_in_attempts.FAILURE_WINDOW)
    facts = {"email": email.strip().lower(), "failures": counted.count}
    outbox.queue_kind(KIND, facts, at=at)


def forget(email: str) -> None:
    """Forget the failures at an account: its user has signed in."""
    RateWindow.objects.filter(subject__in=_subjects(email)).delete()


def _subjects(email: str) -> list[str]:
    """Return the subjects of the counters: of the failures, and of each milestone's mail."""
    failures = f"sign-in-failures-of:{sign_in_attempts.digest(email)}"
    return [failures, *(f"{failures}:{milestone}" for milestone in MILESTONES)]


def _is_counted(subject: str, *, at: datetime) -> bool:
    latest = rate_limits.latest_end(at, window=sign_in_attempts.FAILURE_WINDOW)
    current = RateWindow.objects.current(at=at, latest=latest)
    return current.filter(subject=subject).exists()


def send(context: JobContext) -> str:
    """Write and send the mail in both languages: the language of the failed attempts is a guess.

    Users without a password have nothing to guess, and get no mail.
    """
    facts = outbox.read_facts(context)
    user = User.objects.filter(email=facts["email"], is_active=True).first()
    if user is None or not user.has_usable_password():
        return "there is nobody to mail"
    values = {"failures": facts["failures"]}
    mails.compose("failed_sign_ins", to=user.email, context=values).send()
    return "the mail was sent"

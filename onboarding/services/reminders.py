"""Reminders: mails to applicants whose application waits for them."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.db import transaction
from django.db.models import Q, QuerySet
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext

from onboarding.choices import ApplicationStatus, EventType, LlcFileType
from onboarding.models import Application
from onboarding.queries.leads import lock_application, open_lead_file
from onboarding.queries.requirements import Kind, Requirement
from onboarding.services import history, links
from onboarding.services.clock import WAITING, Outcome, Stopped, each
from onboarding.services.history import CLOCK

ENGLISH = "en"


def list_due(*, at: datetime) -> QuerySet[Application]:
    """Return the applications whose applicant is to be reminded."""
    return Application.objects.filter(_due(at), is_current=True)


def remind_waiting(*, at: datetime) -> Iterator[Outcome]:
    """Remind each applicant who is due; one mail, however many reminders were missed.

    Raises: Stopped where no mail can leave, before anything is noted.
    """
    return each(list_due(at=at), partial(_remind, at=at))


def compose_reminder(application: Application, *, at: datetime) -> EmailMessage:
    """Return the mail that says what is wanted, and until when, in the applicant's language.

    Of personal data it has the name of the business alone.
    """
    lead = application.lead
    with translation.override(language_of(application)):
        facts = {
            "bank_name": settings.BANK_NAME,
            "business_name": lead.business_name or gettext("your business"),
            "partner": lead.partner,
            "is_identity": application.status == ApplicationStatus.ID_VERIFICATION,
            "wanted": _wanted(application),
            "deadline": application.deadline,
            "location": _location(application, at),
        }
        subject = _render("reminder_subject.txt", facts)
        text = _render("reminder.txt", facts)
    reply_to = [lead.partner.support_email] if lead.partner.support_email else None
    return EmailMessage(" ".join(subject.split()), text, to=[lead.email], reply_to=reply_to)


def language_of(application: Application) -> str:
    """Return the language in which the applicant came in last, or signed; else English."""
    sessions = application.flow_sessions.exclude(language="").order_by("-pk")
    spoken = sessions.values_list("language", flat=True).first()
    signed = application.consents.order_by("-pk").values_list("language", flat=True)
    return spoken or signed.first() or ENGLISH


def _due(at: datetime) -> Q:
    """Return what is true where a reminder is due: fewer were sent than days have passed."""
    is_due = Q()
    for number, days in enumerate(settings.REMINDER_DAYS, 1):
        is_due |= Q(reminders_sent__lt=number, status_changed_at__lte=at - timedelta(days=days))
    is_open = Q(status_changed_at__gt=at - settings.ACTION_LIFETIME)
    return Q(status__in=WAITING) & is_open & is_due


def _remind(pk: int, *, at: datetime) -> bool:
    """Send one reminder unless another clock did; a mail that is refused is not sent again."""
    mailer = get_connection()
    try:
        mailer.open()
    except OSError as exc:
        raise Stopped("no mail can be sent") from exc
    try:
        mail = _claim(pk, at)
        if mail is not None:
            mailer.send_messages([mail])
    finally:
        mailer.close()
    return mail is not None


@transaction.atomic
def _claim(pk: int, at: datetime) -> EmailMessage | None:
    """Note that the newest reminder that is due is sent, and return it; None if it was before."""
    application = lock_application(pk=pk)
    if application is None:
        return None
    waited = at - application.status_changed_at
    number = sum(waited >= timedelta(days=days) for days in settings.REMINDER_DAYS)
    if not Application.objects.filter(_due(at), pk=pk).update(reminders_sent=number):
        return None
    application.reminders_sent = number
    history.record(application, EventType.REMINDED, by=CLOCK, at=at, reminder=number)
    return compose_reminder(application, at=at)


def _wanted(application: Application) -> list[str]:
    missing = open_lead_file(application).requirements
    kinds = {Kind.DOCUMENT, Kind.IDENTITY}
    said = [_say(requirement) for requirement in missing if requirement.kind in kinds]
    return list(dict.fromkeys(said))


def _say(requirement: Requirement) -> str:
    """Return what is wanted, without names: the reason of a request stays in the flow."""
    what = str(requirement.message)
    if requirement.code.endswith("_REQUESTED"):
        what = " / ".join(str(LlcFileType(kind).label) for kind in requirement.accepted_types)
    return gettext("For another owner: %(what)s") % {"what": what} if requirement.ubo_id else what


def _location(application: Application, at: datetime) -> str:
    """Return the applicant's link; nothing if it has expired."""
    if application.link_expires_at <= at:
        return ""
    return f"{settings.BASE_URL}/apply/{links.derive_link(application)}"


def _render(name: str, facts: dict[str, Any]) -> str:
    return render_to_string(f"onboarding/flow/mail/{name}", facts).strip()

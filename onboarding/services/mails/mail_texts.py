"""Mail texts: subject, plain text and HTML of each mail, in the reader's language and time zone."""

import re
from datetime import datetime, tzinfo
from email.utils import formataddr, parseaddr
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.utils import timezone, translation

from foundation.times import zone_of_staff
from onboarding.event_types import STAFF_MAILS
from onboarding.models import Mail
from onboarding.queries.time_zones import zone_of
from onboarding.services.mails.applicant_mails import facts_of_application
from onboarding.services.mails.facts import Overtaken
from onboarding.services.mails.partner_mails import facts_of_key, facts_of_webhook
from onboarding.services.mails.staff_mails import facts_of_staff

FOLDER = "onboarding/mail"
BLANK_LINES = re.compile(r"\s*\n\s*\n")


def compose(mail: Mail, *, at: datetime) -> EmailMultiAlternatives:
    """Return the message of a mail, composed from the present data.

    Personal data in it are names, the reference number and what staff wrote for the applicant. All
    attempts to send a mail have the same Message-ID. Raises: Overtaken, CodeExpired.
    """
    with translation.override(mail.language), timezone.override(_zone(mail)):
        facts = _facts(mail, at)
        subject, text = _render_text(f"{mail.kind.lower()}.txt", facts)
        facts |= {"subject": subject, "blocks": text.split("\n\n"), "language": mail.language}
        html = render_to_string(f"{FOLDER}/layout.html", facts)
    message = EmailMultiAlternatives(
        subject,
        text,
        from_email=_sender(facts),
        to=[facts["to"]],
        reply_to=[facts["support_email"]] if facts["support_email"] else None,
        headers={
            "Message-ID": f"<{mail.external_id}@{urlsplit(settings.BASE_URL).hostname}>",
            "Auto-Submitted": "auto-generated",
            **_headers_to_stop(facts.get("stop_url")),
        },
    )
    message.attach_alternative(html, "text/html")
    return message


def _facts(mail: Mail, at: datetime) -> dict[str, Any]:
    if mail.user and mail.kind in STAFF_MAILS:
        return facts_of_staff(mail, mail.user)
    if mail.application:
        return facts_of_application(mail, mail.application, at=at)
    if mail.webhook_id:
        return facts_of_webhook(mail, mail.webhook_id)
    if mail.api_key is None:
        raise Overtaken("the access key has ended")
    return facts_of_key(mail.api_key, at=at)


def _zone(mail: Mail) -> tzinfo:
    if mail.user and mail.kind in STAFF_MAILS:
        return zone_of_staff(mail.user.time_zone)
    if mail.application and mail.kind not in STAFF_MAILS:
        return zone_of(mail.application)
    return timezone.get_default_timezone()


def _sender(facts: dict[str, Any]) -> str:
    """Return the bank's address, with the partner's name in mails to applicants and owners.

    Mails to partners and staff have the bank's name.
    """
    is_to_applicant = "first_name" in facts
    name = facts["partner_name"] if is_to_applicant else facts["bank_name"]
    return formataddr((name, parseaddr(settings.DEFAULT_FROM_EMAIL)[1]))


def _headers_to_stop(url: str | None) -> dict[str, str]:
    """Return the headers by which mail programs offer to stop reminders. Source: RFC 8058."""
    if not url:
        return {}
    return {"List-Unsubscribe": f"<{url}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}


def _render_text(name: str, facts: dict[str, Any]) -> tuple[str, str]:
    """Return subject and text: the first line of the rendered template, and the lines after it."""
    lines = render_to_string(f"{FOLDER}/{name}", facts).strip()
    subject, text = BLANK_LINES.sub("\n\n", lines).split("\n", 1)
    return subject, text.strip()

"""Mails with the link to choose another password, which a worker writes.

The worker looks for the user, too, so the answer to the person who asks tells nothing.
"""

from datetime import datetime
from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.forms import PasswordResetForm
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.utils.translation import get_language, override

from banking.models import User
from banking.services import invitations, mails
from foundation.jobs.registry import JobContext

KIND: Final = "mail_password_reset"


class _Form(PasswordResetForm):
    """Django's form, which writes the mails for the users of an address."""

    def get_users(self, email: str) -> list[User]:
        """Return the users who get a link, including invited users without a password."""
        return [*super().get_users(email), *invitations.list_invited(email)]

    def send_mail(
        self,
        subject_template_name: str,
        email_template_name: str,
        context: dict[str, Any],
        from_email: str | None,
        to_email: str,
        html_email_template_name: str | None = None,
    ) -> None:
        """Send the mail; a failure lets the job be tried again."""
        subject = render_to_string(subject_template_name, context).strip()
        text = render_to_string(email_template_name, context)
        EmailMessage(subject, text, from_email, [to_email]).send()


def queue(email: str, *, at: datetime) -> None:
    """Queue the mail to an address, known or not, in the language of the page."""
    facts = {"email": email, "language": get_language() or settings.LANGUAGE_CODE}
    mails.queue_kind(KIND, facts, at=at)


def send(context: JobContext) -> str:
    """Mail a link to each user of the address, and return the outcome of the job."""
    facts = mails.read_facts(context)
    form, address = _Form({"email": facts["email"]}), urlsplit(settings.BASE_URL)
    if form.is_valid():
        with override(facts["language"]):
            form.save(
                domain_override=address.netloc,
                use_https=address.scheme == "https",
                subject_template_name="mcp_server/mail/password_reset_subject.txt",
                email_template_name="mcp_server/mail/password_reset.txt",
                extra_email_context={"bank_name": settings.BANK_NAME},
            )
    return "the users of the address were mailed"

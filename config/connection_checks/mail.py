"""Connection check of the mail server: TLS, sign-in and sender, without a mail."""

import smtplib
from collections.abc import Iterator
from typing import Any, Final

from django.conf import settings
from django.core.mail import get_connection

from config.connection_checks.findings import Finding, Hints, fault_of

HINTS: Final[Hints] = [
    ("authentication", "Correct EMAIL_HOST_USER and EMAIL_HOST_PASSWORD."),
    ("auth extension", "The server takes no password: unset EMAIL_HOST_USER."),
    ("starttls", "The server offers no STARTTLS at EMAIL_PORT; 587 is the usual port."),
    ("sender", "Let the server accept EMAIL_FROM from this machine."),
]
SMTP: Final = "django.core.mail.backends.smtp.EmailBackend"
ACCEPTED: Final = 250


def check() -> Iterator[Finding]:
    """Yield the findings of the server in EMAIL_HOST."""
    if not settings.EMAIL_HOST:
        hint = "Set EMAIL_HOST: mails would be files that nobody reads."
        yield Finding("There is no mail server.", hint)
        return
    server: Any = get_connection(SMTP)
    try:
        server.open()
        code, answer = server.connection.mail(settings.DEFAULT_FROM_EMAIL)
        if code != ACCEPTED:
            raise smtplib.SMTPSenderRefused(code, answer, settings.DEFAULT_FROM_EMAIL)
        server.connection.rset()
    except (OSError, smtplib.SMTPException) as exc:
        yield fault_of("the mail server", exc, HINTS)
        return
    finally:
        server.close()
    transport = "with TLS" if settings.EMAIL_USE_TLS else "without TLS"
    yield Finding(f"The mail server takes mails of {settings.DEFAULT_FROM_EMAIL}, {transport}.")

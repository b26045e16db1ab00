"""Mail backends that measure the sending of mails; a sandbox without a server writes files."""

import os
import re
import sys
from collections.abc import Sequence

from django.core.mail import EmailMessage
from django.core.mail.backends import filebased, smtp

from foundation.metrics import declared as metrics
from foundation.metrics.instruments import timed

LINK_OR_CODE = re.compile(r"^(?:https?://\S+|\d{6})$", re.MULTILINE)


class Smtp(smtp.EmailBackend):
    """Mail backend that sends mails to the mail server, and measures it."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Send mails and return how many were sent. Raises the errors of smtplib."""
        with timed(metrics.MAILS, metrics.MAIL_SEND_DURATION):
            return super().send_messages(email_messages) or 0


class Files(filebased.EmailBackend):
    """Mail backend that writes mails to files, and measures it."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Write mails and return how many were written. Raises: OSError."""
        with timed(metrics.MAILS, metrics.MAIL_SEND_DURATION):
            return super().send_messages(email_messages) or 0


class ConsoleAndFiles(Files):
    """Mail backend that writes mails to files, and one line per mail to standard output."""

    def write_message(self, message: EmailMessage) -> None:
        super().write_message(message)
        file = self._get_filename()  # type: ignore[attr-defined]  # the stubs leave it out
        sys.stdout.write(_line(message, path=os.path.relpath(file)) + "\n")
        sys.stdout.flush()


def _line(message: EmailMessage, *, path: str) -> str:
    """Return recipients, subject, the first line that is a link or a code, and the file."""
    found = LINK_OR_CODE.search(str(message.body))
    parts = [", ".join(message.to), str(message.subject), found[0] if found else "", path]
    return "mail to " + " | ".join(part for part in parts if part)

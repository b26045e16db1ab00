"""Mail backend for sandboxes without a mail server."""

import os
import re
import sys

from django.core.mail import EmailMessage
from django.core.mail.backends import filebased

LINK_OR_CODE = re.compile(r"^(?:https?://\S+|\d{6})$", re.MULTILINE)


class ConsoleAndFiles(filebased.EmailBackend):
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

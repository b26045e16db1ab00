"""Mail backend for sandboxes without a mail server."""

import copy
from collections.abc import Sequence
from typing import Any

from django.core.mail import EmailMessage
from django.core.mail.backends import console, filebased


class ConsoleAndFiles(filebased.EmailBackend):
    """Mail backend that writes mails to files, and their text to standard output."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._console = console.EmailBackend()

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        self._console.send_messages([_as_text(message) for message in email_messages])
        return super().send_messages(email_messages)


def _as_text(message: EmailMessage) -> EmailMessage:
    """Return the mail without its HTML alternative."""
    plain = copy.copy(message)
    if hasattr(plain, "alternatives"):
        plain.alternatives = []
    return plain

"""Mails to customers in both languages."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import override

from banking.services import mails

TEMPLATES = "mcp_server/mail"


def queue(
    template: str, *, to: str, context: Mapping[str, Any], at: datetime | None = None
) -> None:
    """Queue a mail in the transaction of its cause. `template` is as in `compose`."""
    message = compose(template, to=to, context=context)
    mails.queue(str(message.subject), str(message.body), to=to, at=at or timezone.now())


def compose(template: str, *, to: str, context: Mapping[str, Any]) -> EmailMessage:
    """Return a mail, not sent yet, in both languages: the language of the reader is not known.

    `template` names a file of TEMPLATES without `.txt`; the subject is in `<template>_subject.txt`.
    """
    values = {
        "bank_name": settings.BANK_NAME,
        "bank_phone": settings.BANK_PHONE,
        "base_url": settings.BASE_URL,
        **context,
    }
    subjects, texts = [], []
    for language, _name in settings.LANGUAGES:
        with override(language):
            subjects.append(render_to_string(f"{TEMPLATES}/{template}_subject.txt", values))
            texts.append(render_to_string(f"{TEMPLATES}/{template}.txt", values))
    subject = " / ".join(map(str.strip, subjects))
    text = "\n\n---\n\n".join(map(str.strip, texts))
    return EmailMessage(subject, f"{text}\n", None, [to])

"""Mails sent by a thread: the time of an answer does not tell whether a mail was sent."""

import logging
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.utils.translation import override

TEMPLATES = "mcp_server/mail"
logger = logging.getLogger(__name__)
executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="mails")


def deliver(message: EmailMessage) -> None:
    """Send a mail; if that fails, only the log tells."""
    try:
        message.send()
    except Exception:
        logger.exception("a mail could not be sent")


def compose(template: str, *, to: str, context: Mapping[str, Any]) -> EmailMessage:
    """Write a mail in both languages, one after the other: the reader's is not known.

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

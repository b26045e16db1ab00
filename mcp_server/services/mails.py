"""Mails sent by a thread: the time of an answer does not tell whether a mail was sent."""

import logging
from concurrent.futures import ThreadPoolExecutor

from django.core.mail import EmailMessage

logger = logging.getLogger(__name__)
postman = ThreadPoolExecutor(max_workers=1, thread_name_prefix="postman")


def deliver(message: EmailMessage) -> None:
    """Send a mail; if that fails, only the log tells."""
    try:
        message.send()
    except Exception:
        logger.exception("a mail could not be sent")

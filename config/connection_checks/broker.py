"""Connection check of the message broker."""

from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings

from config.celery import queued_messages
from config.connection_checks.findings import Finding, Hints, fault_of

HINTS: Final[Hints] = [
    ("invalid username-password", "Give CELERY_BROKER_URL the broker's user and password."),
    ("authentication required", "Give CELERY_BROKER_URL the broker's user and password."),
    ("noauth", "Give CELERY_BROKER_URL the broker's user and password."),
    ("access_refused", "Give CELERY_BROKER_URL the broker's user, password and vhost."),
    ("noperm", "The user of CELERY_BROKER_URL needs all commands on keys of TASK_QUEUE."),
    ("closed by server", "The server expects TLS: use rediss:// or amqps://."),
    ("connection reset", "The server expects TLS: use rediss:// or amqps://."),
]


def check() -> Iterator[Finding]:
    """Yield the findings of the broker in CELERY_BROKER_URL."""
    scheme = urlsplit(settings.CELERY_BROKER_URL).scheme
    try:
        waiting = sum(queued_messages().values())
    except Exception as exc:  # noqa: BLE001 - the errors of transports share no base class
        yield fault_of("the broker", exc, HINTS)
        return
    if scheme == "files":
        yield Finding("Messages are files below DATA_DIR: all programs must be on this machine.")
    else:
        yield Finding(f"The broker answers by {scheme}; {waiting} messages wait.")

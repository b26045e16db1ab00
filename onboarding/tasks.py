"""What workers do for onboarding: each task claims rows, so that repeating one does no harm."""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from celery import shared_task
from celery.signals import worker_shutting_down
from django.db import OperationalError
from django.utils import timezone

from onboarding.services import deliveries, fetching, lanes, mails, publications, screenings

logger = logging.getLogger(__name__)

MESSAGE_SECONDS = 60  # a message that waited longer is one of those that were sent anew
RUNNER_SECONDS = 30  # a runner leaves after that, so that threads go round
RUNNER_MESSAGE_SECONDS = 5

ending = threading.Event()


class Share:
    """The threads of this process that one kind of work may have; more of it waits as rows."""

    def __init__(self, most: int) -> None:
        self.free = most
        self._lock = threading.Lock()

    @contextmanager
    def enter(self) -> Iterator[bool]:
        """Yield whether there is a thread left, and have it while the block runs."""
        with self._lock:
            is_in = self.free > 0
            self.free -= is_in
        try:
            yield is_in
        finally:
            with self._lock:
                self.free += is_in


FETCHES, MAILS = Share(4), Share(8)


@worker_shutting_down.connect
def _end(**_options: object) -> None:
    ending.set()


@shared_task
def sweep(**_added_later: object) -> None:
    """Go through the steps; one that fails is logged and keeps none of the others from theirs."""
    for step in (screen, publish, start_runners, hand_out_documents, hand_out_mails):
        try:
            step(at=timezone.now())
        except OperationalError:
            raise  # without a database, they would all fail
        except Exception:
            logger.exception("a step of the sweep failed: %s", step.__name__)


def screen(*, at: datetime) -> None:
    """Screen what was submitted."""
    screenings.screen_submitted(at=at)


def publish(*, at: datetime) -> None:
    """Publish all that happened."""
    while publications.publish(at=at):
        pass


def start_runners(*, at: datetime) -> None:
    """Send a message for each runner that a webhook wants."""
    for webhook in lanes.list_short_handed(at=at):
        deliver_webhook.apply_async(kwargs={"webhook_id": webhook}, expires=RUNNER_MESSAGE_SECONDS)


def hand_out_documents(*, at: datetime) -> None:
    """Send a message for each document that is due."""
    for document, attempt in fetching.hand_out(at=at, limit=FETCHES.free):
        fetch_document.apply_async(
            kwargs={"document_id": document, "attempt": attempt}, expires=MESSAGE_SECONDS
        )


def hand_out_mails(*, at: datetime) -> None:
    """Send a message for each mail that is due."""
    for mail, attempt in mails.hand_out(at=at, limit=MAILS.free):
        send_mail.apply_async(kwargs={"mail_id": mail, "attempt": attempt}, expires=MESSAGE_SECONDS)


@shared_task
def deliver_webhook(*, webhook_id: int, **_added_later: object) -> None:
    """Send what waits for a webhook, for a while; the next sweep goes on."""
    ends_at = time.monotonic() + RUNNER_SECONDS
    deliveries.deliver_due(
        webhook_id,
        clock=timezone.now,
        until=lambda: ending.is_set() or time.monotonic() >= ends_at,
    )


@shared_task
def send_mail(*, mail_id: int, attempt: int, **_added_later: object) -> None:
    """Send a mail, unless another message of it came first."""
    with MAILS.enter() as is_in:
        if is_in:
            mails.send(mail_id, attempt=attempt, at=timezone.now())


@shared_task
def fetch_document(*, document_id: int, attempt: int, **_added_later: object) -> None:
    """Fetch a document from where the partner has it, unless another message came first."""
    with FETCHES.enter() as is_in:
        if is_in:
            fetching.fetch(document_id, attempt=attempt, at=timezone.now())

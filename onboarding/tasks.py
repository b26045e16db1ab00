"""What workers do for onboarding: each task claims rows, so that repeating one does no harm."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime

from celery import shared_task
from celery.signals import worker_shutting_down
from django.conf import settings
from django.db import OperationalError
from django.utils import timezone

from banking.services import leases
from onboarding.services.checks import screenings
from onboarding.services.documents import fetching
from onboarding.services.events import publications
from onboarding.services.mails import outbox
from onboarding.services.webhooks import deliveries, lanes

logger = logging.getLogger(__name__)

MESSAGE_SECONDS = 60  # a message that waited longer is one of those that were sent anew
RUNNER_SECONDS = 30  # a runner leaves after that, so that threads go round
RUNNER_MESSAGE_SECONDS = 5
SWEEP = "onboarding.sweep"
PUBLISH_SECONDS = 5  # then the other steps follow, and the next sweep goes on
SCREEN_SECONDS = 10
SCREEN_MESSAGE_SECONDS = 5

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


FETCHES, MAILS, SCREENINGS = Share(4), Share(8), Share(1)


@worker_shutting_down.connect
def _end(**_options: object) -> None:
    ending.set()


@shared_task
def sweep(**_added_later: object) -> None:
    """Run the steps, unless another worker is running them. A step that fails is logged.

    Events are published and webhooks get their runners first: no other step may delay them.
    """
    with leases.hold(SWEEP, clock=timezone.now) as is_held:
        if is_held:
            _run_steps()


def _run_steps() -> None:
    outbound = (start_runners, dispatch_mails, dispatch_documents) if settings.OUTBOUND else ()
    for step in (publish, *outbound, start_screening):
        try:
            step(at=timezone.now())
        except OperationalError:
            raise  # without a database, they would all fail
        except Exception:
            logger.exception("a step of the sweep failed: %s", step.__name__)


def publish(*, at: datetime) -> None:
    """Publish events, for a limited time."""
    is_over = _deadline(PUBLISH_SECONDS)
    while publications.publish(at=at) and not is_over():
        pass


def start_runners(*, at: datetime) -> None:
    """Send a message for each runner that a webhook wants."""
    for webhook in lanes.list_short_handed(at=at):
        deliver_webhook.apply_async(kwargs={"webhook_id": webhook}, expires=RUNNER_MESSAGE_SECONDS)


def dispatch_documents(*, at: datetime) -> None:
    """Send a message for each document that is due."""
    for document, attempt in fetching.dispatch(at=at, limit=FETCHES.free):
        fetch_document.apply_async(
            kwargs={"document_id": document, "attempt": attempt}, expires=MESSAGE_SECONDS
        )


def dispatch_mails(*, at: datetime) -> None:
    """Send a message for each mail that is due."""
    for mail, attempt in outbox.dispatch(at=at, limit=MAILS.free):
        send_mail.apply_async(kwargs={"mail_id": mail, "attempt": attempt}, expires=MESSAGE_SECONDS)


def start_screening(*, at: datetime) -> None:
    """Send a message if applications wait for their checks, which may take long."""
    if screenings.is_waiting():
        screen_applications.apply_async(expires=SCREEN_MESSAGE_SECONDS)


@shared_task
def screen_applications(**_added_later: object) -> None:
    """Screen submitted applications for a limited time, unless this process is already doing so."""
    with SCREENINGS.enter() as is_in:
        if is_in:
            screenings.screen_submitted(clock=timezone.now, until=_deadline(SCREEN_SECONDS))


@shared_task
def deliver_webhook(*, webhook_id: int, **_added_later: object) -> None:
    """Send what waits for a webhook, for a while; the next sweep goes on."""
    if settings.OUTBOUND:
        deliveries.deliver_due(webhook_id, clock=timezone.now, until=_deadline(RUNNER_SECONDS))


@shared_task
def send_mail(*, mail_id: int, attempt: int, **_added_later: object) -> None:
    """Send a mail, unless another message of it came first."""
    with MAILS.enter() as is_in:
        if is_in and settings.OUTBOUND:
            outbox.send(mail_id, attempt=attempt, at=timezone.now())


@shared_task
def fetch_document(*, document_id: int, attempt: int, **_added_later: object) -> None:
    """Fetch a document from where the partner has it, unless another message came first."""
    with FETCHES.enter() as is_in:
        if is_in and settings.OUTBOUND:
            fetching.fetch(document_id, attempt=attempt, at=timezone.now())


def _deadline(seconds: float) -> Callable[[], bool]:
    """Return a function that says whether the time is over, or the worker is shutting down."""
    ends_at = time.monotonic() + seconds
    return lambda: ending.is_set() or time.monotonic() >= ends_at

"""Celery tasks of onboarding. Tasks claim rows, so a message that Celery repeats is harmless."""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

from celery import shared_task
from celery.signals import worker_shutting_down
from django.conf import settings
from django.db import OperationalError
from django.utils import timezone

from banking.services import leases
from onboarding.services.checks import screenings
from onboarding.services.documents import fetching, scanning
from onboarding.services.events import publications
from onboarding.services.mails import outbox
from onboarding.services.verification import sending
from onboarding.services.webhooks import deliveries, lanes

logger = logging.getLogger(__name__)

MESSAGE_SECONDS = 60  # an expired message is sent again by a later sweep
RUNNER_SECONDS = 30  # then a runner ends, so that others get its thread
RUNNER_MESSAGE_SECONDS = 5
SWEEP = "onboarding.sweep"
PUBLISH_SECONDS = 5  # then the other steps follow, and the next sweep continues
SCAN_SECONDS = 10  # then no further file is begun
SCREEN_SECONDS = 10
SCREEN_MESSAGE_SECONDS = 5

ending = threading.Event()


class Share:
    """A limit on how many threads of this process do one kind of work at the same time."""

    def __init__(self, most: int) -> None:
        self.free = most
        self._lock = threading.Lock()

    @contextmanager
    def enter(self) -> Iterator[bool]:
        """Yield True and count this thread until the block ends; False if the limit is reached."""
        with self._lock:
            is_in = self.free > 0
            self.free -= is_in
        try:
            yield is_in
        finally:
            with self._lock:
                self.free += is_in


FETCHES, SCANS, MAILS, SCREENINGS = Share(4), Share(4), Share(8), Share(1)
VERIFICATIONS = Share(8)


@worker_shutting_down.connect
def _end(**_options: object) -> None:
    ending.set()


@shared_task
def sweep(*, full: Sequence[str] = (), **_added_later: object) -> None:
    """Publish events, then queue the tasks that send, fetch, scan and check what is due.

    Only one worker runs the steps at a time; the others return. A failed step is logged, and the
    next follows. Publishing and starting webhook runners come first: no other step may delay them.
    `full` has the kinds of work to skip, because their Celery queue is full: no worker takes the
    messages, or too few. Without `settings.OUTBOUND` nothing is sent or fetched.
    Raises: OperationalError, since without a database every step would fail.
    """
    with leases.hold(SWEEP, clock=timezone.now) as is_held:
        if is_held:
            _run_steps(full)


def _run_steps(full: Sequence[str]) -> None:
    outbound = {
        start_runners: "webhooks",
        dispatch_mails: "mails",
        dispatch_documents: "documents",
        dispatch_verifications: "screening",
    }
    local = {dispatch_scans: "documents", start_screening: "screening"}
    kinds = (outbound if settings.OUTBOUND else {}) | local
    for step in (publish, *(step for step, kind in kinds.items() if kind not in full)):
        try:
            step(at=timezone.now())
        except OperationalError:
            raise  # without a database, every step would fail
        except Exception:
            logger.exception("a step of the sweep failed: %s", step.__name__)


def publish(*, at: datetime) -> None:
    """Publish recorded events, with their deliveries and mails, for a limited time."""
    is_over = _deadline(PUBLISH_SECONDS)
    while publications.publish(at=at) and not is_over():
        pass


def start_runners(*, at: datetime) -> None:
    """Queue `deliver_webhook` for webhooks with due deliveries.

    A webhook gets as many tasks at a time as `lanes.list_needing_workers` allows.
    """
    for webhook in lanes.list_needing_workers(at=at):
        deliver_webhook.apply_async(kwargs={"webhook_id": webhook}, expires=RUNNER_MESSAGE_SECONDS)


def dispatch_documents(*, at: datetime) -> None:
    """Queue `fetch_document` for documents that are due to be fetched from a URL.

    At most as many as this process could start now.
    """
    for document, attempt in fetching.dispatch(at=at, limit=FETCHES.free):
        fetch_document.apply_async(
            kwargs={"document_id": document, "attempt": attempt}, expires=MESSAGE_SECONDS
        )


def dispatch_scans(*, at: datetime) -> None:
    """Queue `scan_document` for files whose first malware scan is due.

    At most as many as this process could start now.
    """
    for document, attempt in scanning.dispatch(at=at, limit=SCANS.free):
        scan_document.apply_async(
            kwargs={"document_id": document, "attempt": attempt}, expires=MESSAGE_SECONDS
        )


def dispatch_mails(*, at: datetime) -> None:
    """Queue `send_mail` for mails that are due to be sent.

    At most as many as this process could start now.
    """
    for mail, attempt in outbox.dispatch(at=at, limit=MAILS.free):
        send_mail.apply_async(kwargs={"mail_id": mail, "attempt": attempt}, expires=MESSAGE_SECONDS)


def dispatch_verifications(*, at: datetime) -> None:
    """Queue `send_verification` for due requests to verification providers.

    At most as many as this process could start now.
    """
    for request, attempt in sending.dispatch(at=at, limit=VERIFICATIONS.free):
        send_verification.apply_async(
            kwargs={"request_id": request, "attempt": attempt}, expires=MESSAGE_SECONDS
        )


def start_screening(*, at: datetime) -> None:
    """Queue `screen_applications` if a submitted application waits for its automatic checks."""
    if screenings.is_waiting(at=at):
        screen_applications.apply_async(expires=SCREEN_MESSAGE_SECONDS)


@shared_task
def screen_applications(**_added_later: object) -> None:
    """Check submitted applications and move each by its findings, for up to SCREEN_SECONDS.

    Do nothing if another thread of this process runs this task. The next sweep continues.
    """
    with SCREENINGS.enter() as is_in:
        if is_in:
            screenings.screen_submitted(clock=timezone.now, until=_deadline(SCREEN_SECONDS))


@shared_task
def deliver_webhook(*, webhook_id: int, **_added_later: object) -> None:
    """Send due deliveries of a webhook for up to RUNNER_SECONDS; the next sweep continues.

    Do nothing unless `settings.OUTBOUND` is set.
    """
    if settings.OUTBOUND:
        deliveries.deliver_due(webhook_id, clock=timezone.now, until=_deadline(RUNNER_SECONDS))


@shared_task
def send_mail(*, mail_id: int, attempt: int, **_added_later: object) -> None:
    """Send a mail, unless this attempt was made already.

    Do nothing if this process sends as many mails as it may.
    """
    with MAILS.enter() as is_in:
        if is_in and settings.OUTBOUND:
            outbox.send(mail_id, attempt=attempt, at=timezone.now())


@shared_task
def fetch_document(*, document_id: int, attempt: int, **_added_later: object) -> None:
    """Fetch a document from the partner's URL, unless this attempt was made already.

    Do nothing if this process fetches as many documents as it may.
    """
    with FETCHES.enter() as is_in:
        if is_in and settings.OUTBOUND:
            fetching.fetch(document_id, attempt=attempt, at=timezone.now())


@shared_task
def send_verification(*, request_id: int, attempt: int, **_added_later: object) -> None:
    """Do the next step of a verification request: ask the provider, or save its answer.

    Do nothing if this attempt was made already, or this process works on as many as it may.
    """
    with VERIFICATIONS.enter() as is_in:
        if is_in and settings.OUTBOUND:
            sending.work(request_id, attempt=attempt, clock=timezone.now)


@shared_task
def scan_document(*, document_id: int, attempt: int, **_added_later: object) -> None:
    """Scan a file for malware, unless this attempt was made; then other due files for SCAN_SECONDS.

    Do nothing if this process runs as many scans as it may.
    """
    with SCANS.enter() as is_in:
        is_over, due = _deadline(SCAN_SECONDS), [(document_id, attempt)] if is_in else []
        while due:
            for pk, number in due:
                scanning.scan(pk, attempt=number, at=timezone.now())
            due = [] if is_over() else scanning.dispatch(at=timezone.now(), limit=1)


def _deadline(seconds: float) -> Callable[[], bool]:
    """Return a function that returns whether time is up or the worker is shutting down."""
    ends_at = time.monotonic() + seconds
    return lambda: ending.is_set() or time.monotonic() >= ends_at

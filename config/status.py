"""State of the deployment: its components and waiting work, shown by `/status` and metrics."""

import hmac
import logging
import threading
import time
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.core import mail
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import DatabaseError, InterfaceError, connection
from django.db.models import Count, F, Max, Min, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone

from banking.choices import JobStatus
from banking.models import Job
from banking.services import sent_files
from config import deployment, health
from config.celery import queued_messages
from config.figures import Facts
from foundation.jobs.registry import HEARTBEAT
from onboarding.choices import DeliveryStatus, MailStatus, VerificationStatus, WebhookStatus
from onboarding.models import (
    Delivery,
    Document,
    Event,
    Lane,
    Lead,
    Mail,
    VerificationRequest,
    Webhook,
)
from onboarding.models.documents import IS_UNSCANNED
from onboarding.models.leads import UNPUBLISHED
from onboarding.queries.lists import list_overdue
from onboarding.queries.parties import list_not_compared

CACHE_SECONDS = 10.0  # lifetime of cached figures
MAX_LEADS = 1000  # bound of the query for unpublished events
RECENT = timedelta(days=1)  # older failures do not count
MAIL_CACHE_SECONDS = 30.0  # mail servers dislike frequent sign-ins
NO_DATABASE: Facts = {"fault": health.UNREACHABLE, "roundTripSeconds": None, "secretsMatch": None}
NO_STORE: Facts = {"fault": "document store: unreachable"}
NO_BROKER: Facts = {"fault": "broker: unreachable", "messages": None}
NO_MAIL: Facts = {"fault": "mail server: unreachable"}
logger = logging.getLogger(__name__)
_lock = threading.Lock()
_kept: tuple[float, Facts] | None = None
_mail_kept: tuple[float, Facts] | None = None


def status(request: HttpRequest) -> HttpResponse:
    """Respond with the figures: 200, or 503 if a component is faulty.

    Faults are a database, store, broker or mail server that does not answer, pending migrations,
    and secrets of another database while the database cannot be asked.

    Responds with 401 without the right token, and with 404 if STATUS_TOKEN is not set.
    """
    if not settings.STATUS_TOKEN:
        raise Http404
    sent, wanted = request.headers.get("Authorization", ""), f"Bearer {settings.STATUS_TOKEN}"
    if not hmac.compare_digest(sent.encode(), wanted.encode()):
        return HttpResponse(status=401, headers={"WWW-Authenticate": "Bearer"})
    facts = current_facts()
    return JsonResponse(facts, status=503 if facts["faults"] else 200)


def forget() -> None:
    """Clear the cached figures, so that the next request measures."""
    global _kept, _mail_kept
    _kept = _mail_kept = None


def current_facts() -> Facts:
    """Return the figures, at most CACHE_SECONDS old. One thread measures, the others wait.

    The mail server's state may be older, by MAIL_CACHE_SECONDS at most.
    """
    global _kept
    with _lock:
        if _kept is None or time.monotonic() - _kept[0] >= CACHE_SECONDS:
            _kept = time.monotonic(), measure(at=timezone.now())
        return _kept[1]


def measure(*, at: datetime) -> Facts:
    """Probe each component, without the cache of `current_facts`, and return all figures.

    Only the mail server's answer may be older, by MAIL_CACHE_SECONDS at most; once found, matching
    secrets and finished migrations are not checked again.
    Units: seconds for ages and the round trip. An age is 0 if no row waits; a figure that is
    unknown is None.
    """
    answers = {name: PARTS[name].measure(at) for name in COMPONENTS}
    is_away = answers["database"]["roundTripSeconds"] is None
    return combine(answers | {"work": None if is_away else _work(at)})


def combine(answers: Mapping[str, Any]) -> Facts:
    """Return the figures of `/status` from the measurements of PARTS, by the names of the parts."""
    database = answers["database"]
    faults = [answers[name]["fault"] for name in COMPONENTS if answers[name]["fault"]]
    return {
        "status": "degraded" if faults else "ok",
        "faults": faults,
        "components": {name: is_up(answers[name]["fault"]) for name in COMPONENTS},
        "brokerMessages": answers["broker"]["messages"],
        "roundTripSeconds": database["roundTripSeconds"],
        "migrationsPending": database["fault"] == health.PENDING,
        "secretsMatch": database["secretsMatch"],
        "work": answers["work"],
    }


def is_up(fault: str) -> bool:
    """Return whether a component with this fault answers."""
    return fault in ("", health.PENDING)


def _database(_at: datetime) -> Facts:
    fault = health.database_fault()
    if not is_up(fault):
        refused = deployment.secrets_fault()  # a program with other secrets may not connect
        return NO_DATABASE | {"fault": refused, "secretsMatch": False} if refused else NO_DATABASE
    started = time.perf_counter()
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    seconds = round(time.perf_counter() - started, 6)
    return {
        "fault": fault,
        "roundTripSeconds": seconds,
        "secretsMatch": not deployment.secrets_fault(),
    }


def _work(at: datetime) -> Facts | None:
    """Return the figures of waiting work, or None if the database lacks a table or is away."""
    try:
        return _waiting_work(at=at)
    except (DatabaseError, InterfaceError):
        return None


def _waiting_work(*, at: datetime) -> Facts:
    beaten = Job.objects.filter(kind=HEARTBEAT).aggregate(at=Max("finished_at"))["at"]
    recently = at - RECENT
    failed_jobs = Job.objects.filter(status=JobStatus.FAILED, finished_at__gte=recently)
    failed_mails = Mail.objects.filter(status=MailStatus.FAILED, created_at__gte=recently)
    given_up = Delivery.objects.filter(status=DeliveryStatus.FAILED, finished_at__gte=recently)
    disabled = Webhook.objects.filter(status=WebhookStatus.DISABLED, deleted_at=None)
    return {
        "heartbeatSeconds": int((at - beaten).total_seconds()) if beaten else None,
        "events": _unpublished(at=at),
        "deliveries": _waiting(_unheld_deliveries(), "created_at", at=at)
        | {"failedToday": given_up.count()},
        "webhooks": {"disabled": disabled.count()},
        "lanes": {"leased": Lane.objects.filter(leased_until__gt=at).count()},
        "mails": _waiting(Mail.objects.filter(status=MailStatus.QUEUED), "created_at", at=at)
        | {"failedToday": failed_mails.count()},
        "scans": _scans(at=at),
        "lists": {"overdue": len(list_overdue(at=at))},
        "parties": {"notCompared": list_not_compared().count()},
        "jobs": _waiting(Job.objects.due(at=at), "due_at", at=at)
        | {"failedToday": failed_jobs.count()},
        "verifications": _verifications(at=at),
    }


def _verifications(*, at: datetime) -> Facts:
    """Return the figures of requests to verification providers.

    Requests that were given up without an answer count as failed.
    """
    due = VerificationRequest.objects.filter(due_at__isnull=False)
    failed = VerificationRequest.objects.filter(
        status=VerificationStatus.UNANSWERED, settled_at__gte=at - RECENT
    )
    return _waiting(due, "asked_at", at=at) | {"failedToday": failed.count()}


def _scans(*, at: datetime) -> Facts:
    """Return the figures of applicants' documents and of files of the record feed together."""
    documents = _waiting(Document.objects.filter(IS_UNSCANNED), "uploaded_at", at=at)
    files = [_waiting(rows, "awaits_scan_since", at=at) for rows in sent_files.list_waiting()]
    since = at - RECENT
    infected = [Document.objects.filter(scanned_at__gte=since).exclude(malware="")]
    infected += sent_files.list_infected(since=since)
    return {
        "waiting": sum(one["waiting"] for one in [documents, *files]),
        "oldestSeconds": max(one["oldestSeconds"] for one in [documents, *files]),
        "malwareToday": sum(rows.count() for rows in infected),
    }


def _waiting(rows: QuerySet[Any], since: str, *, at: datetime) -> Facts:
    found = rows.order_by().aggregate(count=Count("pk"), at=Min(since))
    return {"waiting": found["count"], "oldestSeconds": _age(found["at"], at=at)}


def _unheld_deliveries() -> QuerySet[Delivery]:
    """Return the waiting deliveries of active webhooks."""
    waiting = Delivery.objects.exclude(next_attempt_at=None)
    return waiting.filter(lane__webhook__status=WebhookStatus.ACTIVE)


def _unpublished(*, at: datetime) -> Facts:
    """Return the figures of unpublished events, of MAX_LEADS leads at most."""
    leads = Lead.objects.filter(UNPUBLISHED).order_by("pk").values("pk")[:MAX_LEADS]
    events = Event.objects.filter(lead__in=leads, sequence__gt=F("lead__published_sequence"))
    return _waiting(events, "occurred_at", at=at)


def _age(since: datetime | None, *, at: datetime) -> int:
    return int((at - since).total_seconds()) if since else 0


def _broker(_at: datetime) -> Facts:
    """Return the fault of the broker, and how many messages wait."""
    try:
        return {"fault": "", "messages": sum(queued_messages().values())}
    except Exception:  # the errors of transports share no base class
        logger.warning("the broker failed its probe", exc_info=True)
        return NO_BROKER


def _store(_at: datetime) -> Facts:
    """Return the fault of the document store. Writes and deletes a file."""
    store = storages["documents"]
    try:
        store.delete(store.save("probe", ContentFile(b"ok")))
    except Exception:  # the errors of stores share no base class
        logger.warning("the document store failed its probe", exc_info=True)
        return NO_STORE
    return {"fault": ""}


def _mail(_at: datetime) -> Facts:
    """Return the fault of the mail server, at most MAIL_CACHE_SECONDS old. Signs in to it."""
    global _mail_kept
    if _mail_kept is None or time.monotonic() - _mail_kept[0] >= MAIL_CACHE_SECONDS:
        _mail_kept = time.monotonic(), {"fault": ""} if _takes_mail() else NO_MAIL
    return _mail_kept[1]


def _takes_mail() -> bool:
    try:
        with mail.get_connection():
            return True
    except OSError:  # the base class of the errors of smtplib
        logger.warning("the mail server failed its probe", exc_info=True)
        return False


class Part(NamedTuple):
    """A part of the figures: the function that measures it, and whether that asks the database.

    `silent` is the value of the part while `measure` has not returned in time.
    """

    measure: Callable[[datetime], Any]
    silent: Any
    asks_database: bool = False


PARTS = {
    "database": Part(_database, NO_DATABASE, asks_database=True),
    "store": Part(_store, NO_STORE),
    "broker": Part(_broker, NO_BROKER),
    "mail": Part(_mail, NO_MAIL),
    "work": Part(_work, None, asks_database=True),
}
COMPONENTS = ["database", "store", "broker", "mail"]  # in the order of the faults

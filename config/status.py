"""`/status` for monitoring: database, document store, broker, and waiting work."""

import hmac
import logging
import threading
import time
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db.models import Count, F, Max, Min, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone

from banking.choices import JobStatus
from banking.models import Job
from banking.services import sent_files
from config import health
from config.celery import queued_messages
from foundation.jobs.registry import HEARTBEAT
from onboarding.choices import MailStatus, WebhookStatus
from onboarding.models import Delivery, Document, Event, Lead, Mail, Webhook
from onboarding.models.documents import IS_UNSCANNED
from onboarding.models.leads import UNPUBLISHED
from onboarding.queries.lists import list_overdue

Facts = dict[str, Any]

CACHE_SECONDS = 10.0  # lifetime of cached figures
MAX_LEADS = 1000  # bound of the query for unpublished events
RECENT = timedelta(days=1)  # older failures do not count
logger = logging.getLogger(__name__)
_lock = threading.Lock()
_kept: tuple[float, Facts] | None = None


def status(request: HttpRequest) -> HttpResponse:
    """Respond with 200, or with 503 if the database, the store or the broker is unreachable.

    Responds with 401 without the right token, and with 404 if STATUS_TOKEN is not set.
    """
    if not settings.STATUS_TOKEN:
        raise Http404
    sent, wanted = request.headers.get("Authorization", ""), f"Bearer {settings.STATUS_TOKEN}"
    if not hmac.compare_digest(sent.encode(), wanted.encode()):
        return HttpResponse(status=401, headers={"WWW-Authenticate": "Bearer"})
    facts = _facts()
    return JsonResponse(facts, status=503 if facts["faults"] else 200)


def forget() -> None:
    """Clear the cached figures, so that the next request measures."""
    global _kept
    _kept = None


def _facts() -> Facts:
    """Return the figures, at most CACHE_SECONDS old. One thread measures, the others wait."""
    global _kept
    with _lock:
        if _kept is None or time.monotonic() - _kept[0] >= CACHE_SECONDS:
            _kept = time.monotonic(), measure(at=timezone.now())
        return _kept[1]


def measure(*, at: datetime) -> Facts:
    """Return all figures. Units: seconds, 0 if no row waits; None if unknown."""
    database = health.database_fault()
    messages = _broker_messages()
    broker = "broker: unreachable" if messages is None else ""
    faults = [fault for fault in (database, _storage_fault(), broker) if fault]
    return {
        "status": "degraded" if faults else "ok",
        "faults": faults,
        "brokerMessages": messages,
        "work": None if database else _work(at=at),
    }


def _work(*, at: datetime) -> Facts:
    beaten = Job.objects.filter(kind=HEARTBEAT).aggregate(at=Max("finished_at"))["at"]
    recently = at - RECENT
    failed_jobs = Job.objects.filter(status=JobStatus.FAILED, finished_at__gte=recently)
    failed_mails = Mail.objects.filter(status=MailStatus.FAILED, created_at__gte=recently)
    disabled = Webhook.objects.filter(status=WebhookStatus.DISABLED, deleted_at=None)
    return {
        "heartbeatSeconds": int((at - beaten).total_seconds()) if beaten else None,
        "events": {"oldestSeconds": _age(_oldest_unpublished(), at=at)},
        "deliveries": _waiting(_unheld_deliveries(), "created_at", at=at),
        "webhooks": {"disabled": disabled.count()},
        "mails": _waiting(Mail.objects.filter(status=MailStatus.QUEUED), "created_at", at=at)
        | {"failedToday": failed_mails.count()},
        "scans": _scans(at=at),
        "lists": {"overdue": len(list_overdue(at=at))},
        "jobs": _waiting(Job.objects.due(at=at), "due_at", at=at)
        | {"failedToday": failed_jobs.count()},
    }


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


def _oldest_unpublished() -> datetime | None:
    leads = Lead.objects.filter(UNPUBLISHED).order_by("pk").values("pk")[:MAX_LEADS]
    waiting = Event.objects.filter(lead__in=leads, sequence__gt=F("lead__published_sequence"))
    oldest: datetime | None = waiting.aggregate(at=Min("occurred_at"))["at"]
    return oldest


def _age(since: datetime | None, *, at: datetime) -> int:
    return int((at - since).total_seconds()) if since else 0


def _broker_messages() -> int | None:
    """Return how many messages wait, or None if the broker is unreachable."""
    try:
        return queued_messages()
    except Exception:  # the errors of transports share no base class
        logger.warning("the broker failed its probe", exc_info=True)
        return None


def _storage_fault() -> str:
    """Return the fault of the document store, or an empty string. Writes and deletes a file."""
    store = storages["documents"]
    try:
        store.delete(store.save("probe", ContentFile(b"ok")))
    except Exception:  # the errors of stores share no base class
        logger.warning("the document store failed its probe", exc_info=True)
        return "document store: unreachable"
    return ""

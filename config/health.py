"""Health: whether the process is up, and whether it can do its work."""

import functools
import logging
from datetime import datetime

from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import DatabaseError, InterfaceError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import F, Max, Min
from django.http import HttpRequest, JsonResponse
from django.utils import timezone

from banking.jobs import HEARTBEAT
from banking.models import Job
from onboarding.models import Event, Lead
from onboarding.models.leads import UNPUBLISHED

LEADS_MOST = 1000  # whose events are looked at
logger = logging.getLogger(__name__)


class MigrationsPending(Exception):
    """The database is older than this process."""


def alive(_request: HttpRequest) -> JsonResponse:
    """Answer 200 as long as the process serves."""
    return JsonResponse({"status": "ok"})


def ready(_request: HttpRequest) -> JsonResponse:
    """Answer 200 if the database is migrated and the document store takes files, else 503.

    How the workers fare is told and changes nothing: without them every request is answered all
    the same, and what they would do is kept. Alarms read `work`, a load balancer the status.
    """
    database = _database_fault()
    faults = [fault for fault in (database, _storage_fault()) if fault]
    facts = {
        "status": "unready" if faults else "ok",
        "faults": faults,
        "work": None if database else _work(at=timezone.now()),
    }
    return JsonResponse(facts, status=503 if faults else 200)


def _database_fault() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        require_migrations()
    except (DatabaseError, InterfaceError):
        return "database: unreachable"
    except MigrationsPending:
        return "database: migrations are pending"
    return ""


@functools.cache
def require_migrations() -> None:
    """Return if the database has every migration, and then for good. Raises: MigrationsPending."""
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise MigrationsPending


def _work(*, at: datetime) -> dict[str, int | None]:
    """Return how long ago the workers' heart beat, and how long the oldest work has waited.

    Units: seconds; 0 where nothing waits, None before the first heartbeat.
    """
    beaten = Job.objects.filter(kind=HEARTBEAT).aggregate(at=Max("finished_at"))["at"]
    due = Job.objects.due(at=at).aggregate(at=Min("due_at"))["at"]
    leads = Lead.objects.filter(UNPUBLISHED).order_by("pk").values("pk")[:LEADS_MOST]
    told = Event.objects.filter(lead__in=leads, sequence__gt=F("lead__published_sequence"))
    occurred = told.aggregate(at=Min("occurred_at"))["at"]
    return {
        "heartbeatSeconds": int((at - beaten).total_seconds()) if beaten else None,
        "oldestJobSeconds": int((at - (due or at)).total_seconds()),
        "oldestEventSeconds": int((at - (occurred or at)).total_seconds()),
    }


def _storage_fault() -> str:
    """Write a file and remove it: a store that only answers may still take nothing."""
    store = storages["documents"]
    try:
        store.delete(store.save("probe", ContentFile(b"ok")))
    except Exception:  # each store has errors of its own, which share no base
        logger.warning("the document store failed its probe", exc_info=True)
        return "document store: unreachable"
    return ""

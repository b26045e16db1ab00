"""Health for probes: `/healthz` says that the process serves, `/readyz` that requests may come.

`config.status` tells monitoring the rest.
"""

import functools
import threading
import time
from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse

from config import deployment

LIVE = Path(__file__).parent / "live"  # the web server answers /healthz from it by itself
LIVE_FILE = "healthz.json"
DRAINING = "process: ends soon"
CACHE_SECONDS = 1.0  # how long an answer of /readyz is given again
_lock = threading.Lock()
_kept: tuple[float, list[str]] | None = None
draining = threading.Event()  # set when this process serves for a while yet, and then ends


class MigrationsPending(Exception):
    """The database is older than this process."""


def alive(_request: HttpRequest) -> HttpResponse:
    """Answer 200 without any I/O, for servers that do not answer `/healthz` themselves."""
    return HttpResponse(_live_body(), content_type="application/json")


def ready(_request: HttpRequest) -> JsonResponse:
    """Answer 200 if this process can serve most requests, else 503.

    The document store, the broker and the workers do not count: without them reads and most
    writes succeed, and every node would leave the load balancer at once.
    """
    faults = [DRAINING] if draining.is_set() else _faults()
    outbound = "on" if settings.OUTBOUND else "off"
    facts = {"status": "unready" if faults else "ok", "faults": faults, "outbound": outbound}
    return JsonResponse(facts, status=503 if faults else 200)


def _faults() -> list[str]:
    """Return the faults that make this process unready, at most CACHE_SECONDS old.

    One thread measures. The others return the last faults meanwhile, and wait only for the first.
    """
    global _kept
    if _is_stale() and _lock.acquire(blocking=_kept is None):
        try:
            if _is_stale():
                faults = [fault for check in CHECKS if (fault := check())]
                _kept = time.monotonic(), faults
        finally:
            _lock.release()
    assert _kept  # noqa: S101 - the first caller waited
    return _kept[1]


def _is_stale() -> bool:
    return _kept is None or time.monotonic() - _kept[0] >= CACHE_SECONDS


def forget() -> None:
    """Ask anew at the next request."""
    global _kept
    _kept = None
    require_migrations.cache_clear()


def database_fault() -> str:
    """Return the fault of the database, or nothing."""
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


@functools.cache
def _live_body() -> bytes:
    return (LIVE / LIVE_FILE).read_bytes()


CHECKS: list[Callable[[], str]] = [  # each returns a fault, or nothing
    database_fault,
    deployment.secrets_fault,
]

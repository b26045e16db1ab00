"""Health probes: `/healthz` for liveness, `/readyz` for readiness to take requests.

`config.status` reports the broker, the document store and the queues.
"""

import functools
import logging
import sys
import threading
import time
from collections.abc import Callable
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse

from config import deployment

EVERY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - the loopback address of each
LIVE = Path(__file__).parent / "live"  # folder that the web server serves /healthz from
LIVE_FILE = "healthz.json"
UNREACHABLE, PENDING = "database: unreachable", "database: migrations are pending"
DRAINING = "process: ends soon"
CACHE_SECONDS = 1.0  # lifetime of a cached /readyz result
_lock = threading.Lock()
_kept: tuple[float, list[str]] | None = None
logger = logging.getLogger(__name__)
draining = threading.Event()  # set while this process still serves, but is about to end


class MigrationsPending(Exception):
    """The database lacks a migration of this release."""


def alive(_request: HttpRequest) -> HttpResponse:
    """Respond with 200 without I/O, for web servers that do not serve `/healthz` themselves."""
    return HttpResponse(_live_body(), content_type="application/json")


def is_served(port: int) -> bool:
    """Return whether a web server of this machine responds at `/healthz`. Takes 5 s at most."""
    address = EVERY_ADDRESS.get(settings.HOST, settings.HOST)
    connection = HTTPConnection(address, port, timeout=5)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == HTTPStatus.OK
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def ready(_request: HttpRequest) -> JsonResponse:
    """Respond with 200 if this process can serve most requests, else with 503.

    The document store, the broker and the workers are not checked: without them, reads and most
    writes succeed, and an outage would remove every node from the load balancer at once.
    """
    faults = [DRAINING] if draining.is_set() else _faults()
    outbound = "on" if settings.OUTBOUND else "off"
    facts = {"status": "unready" if faults else "ok", "faults": faults, "outbound": outbound}
    return JsonResponse(facts, status=503 if faults else 200)


def _faults() -> list[str]:
    """Return the faults that make this process unready, at most CACHE_SECONDS old.

    One thread runs the checks; the others return the cached faults, or wait if none are cached.
    """
    global _kept
    if _is_stale() and _lock.acquire(blocking=_kept is None):
        try:
            if _is_stale():
                faults = [fault for check in CHECKS if (fault := check())]
                _kept = time.monotonic(), faults
        finally:
            _lock.release()
    assert _kept  # noqa: S101 - the lock waits for the first result
    return _kept[1]


def _is_stale() -> bool:
    return _kept is None or time.monotonic() - _kept[0] >= CACHE_SECONDS


def forget() -> None:
    """Clear the cached faults, so that the next request runs the checks."""
    global _kept
    _kept = None
    require_migrations.cache_clear()


def database_fault() -> str:
    """Return the fault of the database, UNREACHABLE or PENDING migrations, or an empty string."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        require_migrations()
    except (DatabaseError, InterfaceError):
        return UNREACHABLE
    except MigrationsPending:
        return PENDING
    return ""


@functools.cache
def require_migrations() -> None:
    """Check that the database has every migration, and cache that it has, until `forget` is called.

    Raises: MigrationsPending, DatabaseError, InterfaceError.
    """
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise MigrationsPending


def exit_unless_migrated() -> None:
    """Exit with an error message if the database lacks a migration of this release.

    For workers: no load balancer keeps work from a program that is not ready. An unreachable
    database is not checked.
    """
    try:
        require_migrations()
    except MigrationsPending:
        sys.exit("Migrations are pending: run `manage.py migrate` of this release first.")
    except (DatabaseError, InterfaceError):
        logger.warning("the migrations are not checked: the database does not answer")
    finally:
        connection.close()


@functools.cache
def _live_body() -> bytes:
    return (LIVE / LIVE_FILE).read_bytes()


CHECKS: list[Callable[[], str]] = [  # each returns a fault, or an empty string
    database_fault,
    deployment.secrets_fault,
]

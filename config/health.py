"""Health: whether the process is up, and whether it can do its work."""

import functools
import logging

from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import DatabaseError, InterfaceError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse

logger = logging.getLogger(__name__)


class MigrationsPending(Exception):
    """The database is older than this process."""


def alive(_request: HttpRequest) -> JsonResponse:
    """Answer 200 as long as the process serves."""
    return JsonResponse({"status": "ok"})


def ready(_request: HttpRequest) -> JsonResponse:
    """Answer 200 if the database is migrated and the document store takes files, else 503."""
    faults = [fault for fault in (_database_fault(), _storage_fault()) if fault]
    return JsonResponse(
        {"status": "unready" if faults else "ok", "faults": faults}, status=503 if faults else 200
    )


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


def _storage_fault() -> str:
    """Write a file and remove it: a store that only answers may still take nothing."""
    store = storages["documents"]
    try:
        store.delete(store.save("probe", ContentFile(b"ok")))
    except Exception:  # each store has errors of its own, which share no base
        logger.warning("the document store failed its probe", exc_info=True)
        return "document store: unreachable"
    return ""

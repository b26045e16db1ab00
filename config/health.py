"""Health: whether the process is up, and whether it can do its work."""

from django.core.files.storage import storages
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse


def alive(_request: HttpRequest) -> JsonResponse:
    """Answer 200 as long as the process serves."""
    return JsonResponse({"status": "ok"})


def ready(_request: HttpRequest) -> JsonResponse:
    """Answer 200 if the database is migrated and the document store can be read, else 503."""
    faults = [fault for fault in (_database_fault(), _storage_fault()) if fault]
    return JsonResponse(
        {"status": "unready" if faults else "ok", "faults": faults}, status=503 if faults else 200
    )


def _database_fault() -> str:
    try:
        executor = MigrationExecutor(connection)
        pending = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError:
        return "database: unreachable"
    return "database: migrations are pending" if pending else ""


def _storage_fault() -> str:
    try:
        storages["documents"].exists("probe")
    except OSError:
        return "document store: unreachable"
    return ""

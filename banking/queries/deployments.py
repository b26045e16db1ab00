"""The recorded deployment, and the identity of the database."""

from django.db import connection, models
from django.db.models.functions import Cast

from banking.models import Deployment

IDENTITY = """
    SELECT system_identifier || '/' ||
        (SELECT oid FROM pg_database WHERE datname = current_database())
    FROM pg_control_system()
"""


def get_deployment() -> Deployment | None:
    """Return the recorded deployment, or None if none is recorded.

    Its encrypted canary is the text `envelope`, so that reading the row needs no key.
    """
    envelope = Cast("canary", models.TextField())
    return Deployment.objects.annotate(envelope=envelope).defer("canary").first()


def get_database_identity() -> str:
    """Return the identifier that differs between this database and a copy restored from a dump.

    Shape: the system identifier of the PostgreSQL cluster and the OID of the database; empty on
    SQLite. A copy of a whole cluster's files has the same identifier.
    """
    if connection.vendor != "postgresql":
        return ""
    with connection.cursor() as cursor:
        cursor.execute(IDENTITY)
        return str(cursor.fetchone()[0])

"""Registrations: forget clients that introduced themselves and never came back."""

from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from oauth2_provider.models import AccessToken, Application, Grant, RefreshToken

from mcp_server.models import Connection

BATCH_SIZE = 500


def unused(*, before: datetime) -> QuerySet[Application]:
    """Return the clients that registered themselves before a time and were never connected.

    The token with which a client manages its registration is nobody's, and counts for nothing.
    """
    theirs = OuterRef("pk")
    found: QuerySet[Application] = Application.objects.filter(
        ~Exists(Connection.objects.filter(application=theirs)),
        ~Exists(Grant.objects.filter(application=theirs)),
        ~Exists(RefreshToken.objects.filter(application=theirs)),
        ~Exists(AccessToken.objects.filter(application=theirs, user__isnull=False)),
        registration_source=Application.RegistrationSource.DCR,
        created__lt=before,
    )
    return found


def purge_unused(*, before: datetime) -> int:
    """Delete the clients that were never used, and return how many there were."""
    deleted = last = 0
    while batch := _some(before=before, after=last):
        deleted, last = deleted + _delete(batch, before=before), batch[-1]
    return deleted


def _some(*, before: datetime, after: int) -> list[int]:
    found = unused(before=before).filter(pk__gt=after).order_by("pk")
    return list(found.values_list("pk", flat=True)[:BATCH_SIZE])


@transaction.atomic
def _delete(batch: list[int], *, before: datetime) -> int:
    """Delete the clients of a batch that are still unused, and return their number.

    Locks the clients, so that a code that is being issued waits.
    """
    locked = Application.objects.select_for_update(of=("self",)).filter(pk__in=batch)
    doomed = unused(before=before).filter(pk__in=[client.pk for client in locked.order_by("pk")])
    pks = list(doomed.values_list("pk", flat=True))
    Application.objects.filter(pk__in=pks).delete()
    return len(pks)

"""Retention: delete what nobody needs any more."""

from datetime import datetime

from django.db import models

from banking.models import RateWindow
from onboarding.models import AccessCode, FlowSession, IdempotencyRecord

EXPIRING: tuple[type[models.Model], ...] = (IdempotencyRecord, RateWindow, AccessCode, FlowSession)


def count_expired(model: type[models.Model], *, at: datetime) -> int:
    """Return how many rows of one of `EXPIRING` are past their end."""
    return _expired(model, at).count()


def purge_expired(model: type[models.Model], *, at: datetime, batch_size: int) -> int:
    """Delete the rows of one of `EXPIRING` that are past their end, a batch at a time.

    Shape: how many. A row that is renewed meanwhile stays.
    """
    deleted = 0
    expired = _expired(model, at).order_by("expires_at", "pk").values_list("pk", flat=True)
    while batch := list(expired[:batch_size]):
        count, _ = _expired(model, at).filter(pk__in=batch).delete()
        deleted += count
    return deleted


def _expired(model: type[models.Model], at: datetime) -> models.QuerySet[models.Model]:
    return models.QuerySet(model).filter(expires_at__lte=at)

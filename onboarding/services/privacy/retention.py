"""Retention: delete what nobody needs any more."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, Model, OuterRef, QuerySet

from banking.models import RateWindow
from onboarding.choices import MailStatus
from onboarding.models import (
    AccessCode,
    ClockMove,
    Delivery,
    DeliveryAttempt,
    FlowSession,
    FormDraft,
    IdempotencyRecord,
    Lane,
    Mail,
    Publication,
)

DELETED_FOR = timedelta(days=1)  # webhooks; by then, whoever was sending is done
EXPIRING: tuple[type[Model], ...] = (  # those with an end, then those kept for a while
    IdempotencyRecord,
    RateWindow,
    AccessCode,
    FlowSession,
    FormDraft,
    Delivery,  # what a publication and a lane are kept for
    Publication,
    Lane,
    Mail,
    ClockMove,
)


def count_expired(model: type[Model], *, at: datetime) -> int:
    """Return how many rows of one of `EXPIRING` may go; what others must go before is not."""
    return _expired(model, at).count()


def purge_expired(
    model: type[Model],
    *,
    at: datetime,
    batch_size: int,
    tell: Callable[[], None] = lambda: None,
) -> int:
    """Delete the rows of one of `EXPIRING` that may go, a batch and a transaction at a time.

    Shape: how many; `tell` is called between batches. A row that is renewed meanwhile,
    or locked, stays.
    """
    deleted, last = 0, None
    while True:
        with transaction.atomic():
            batch = _lock(_expired(model, at), after=last, size=batch_size)
            deleted += _delete(model, batch, at=at) if batch else 0
        if len(batch) < batch_size:
            return deleted
        last = batch[-1]
        tell()


def _expired(model: type[Model], at: datetime) -> QuerySet[Any]:
    """Return what may go. Events are append-only and stay."""
    before = at - settings.KEPT_FOR
    if model is Delivery:
        return Delivery.objects.filter(next_attempt_at=None, created_at__lte=before)
    if model is Publication:
        sent = Delivery.objects.filter(publication=OuterRef("pk"))
        return Publication.objects.filter(~Exists(sent), published_at__lte=before)
    if model is Lane:
        carried = Delivery.objects.filter(lane=OuterRef("pk"))
        return Lane.objects.filter(~Exists(carried), due_at=None, leased_until=None)
    if model is Mail:
        ended = Mail.objects.exclude(status=MailStatus.QUEUED)
        return ended.filter(created_at__lte=before)
    if model is ClockMove:
        return ClockMove.objects.filter(finished_at__lte=before)
    if model is FlowSession:  # a form posted in it may be kept for as long
        return FlowSession.objects.filter(expires_at__lte=at - settings.FORM_DRAFT_LIFETIME)
    return QuerySet(model).filter(expires_at__lte=at)


def _lock(expired: QuerySet[Any], *, after: Any, size: int) -> list[Any]:
    """Lock the next rows and return their keys; those that somebody writes to are left out."""
    rest = expired if after is None else expired.filter(pk__gt=after)
    locked = rest.select_for_update(of=("self",), skip_locked=True).order_by("pk")
    return list(locked.values_list("pk", flat=True)[:size])


def _delete(model: type[Model], batch: list[Any], *, at: datetime) -> int:
    """Delete rows in one statement, the attempts of deliveries in one before."""
    rows = _expired(model, at).filter(pk__in=batch)
    if model is Delivery:
        _raw_delete(DeliveryAttempt.objects.filter(delivery__in=rows))
    return _raw_delete(rows)


def _raw_delete(rows: QuerySet[Any]) -> int:
    return int(rows._raw_delete(rows.db))  # noqa: SLF001 - a delete() would read what depends on each

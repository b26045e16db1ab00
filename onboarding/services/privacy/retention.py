"""Retention: deletion of rows that have expired."""

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
    Notification,
    PhoneLink,
    Publication,
)

DELETED_FOR = timedelta(days=1)  # webhooks; workers that were sending have finished by then
EXPIRING: tuple[type[Model], ...] = (  # models with `expires_at`, then models kept for a while
    IdempotencyRecord,
    RateWindow,
    AccessCode,
    PhoneLink,
    FlowSession,
    FormDraft,
    Delivery,  # before publications and lanes, which are kept for their deliveries
    Publication,
    Lane,
    Mail,
    Notification,
    ClockMove,
)


def count_expired(model: type[Model], *, at: datetime) -> int:
    """Return the number of expired rows of a model of EXPIRING that no kept row refers to."""
    return _expired(model, at).count()


def purge_expired(
    model: type[Model],
    *,
    at: datetime,
    batch_size: int,
    report: Callable[[], None] = lambda: None,
) -> int:
    """Delete the expired rows of a model of EXPIRING in batches, and return their number.

    Each batch has its own transaction; `report` is called between batches. Rows that are locked, or
    renewed meanwhile, stay.
    """
    deleted, last = 0, None
    while True:
        with transaction.atomic():
            batch = _lock(_expired(model, at), after=last, size=batch_size)
            deleted += _delete(model, batch, at=at) if batch else 0
        if len(batch) < batch_size:
            return deleted
        last = batch[-1]
        report()


def _expired(model: type[Model], at: datetime) -> QuerySet[Any]:
    """Return the expired rows of a model. Events are append-only and stay."""
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
    if model is Notification:
        mails = Mail.objects.filter(notification=OuterRef("pk"))
        return Notification.objects.filter(~Exists(mails), at__lte=before)
    if model is ClockMove:
        return ClockMove.objects.filter(finished_at__lte=before)
    if model is FlowSession:  # a form draft of the session may be kept for as long
        return FlowSession.objects.filter(expires_at__lte=at - settings.FORM_DRAFT_LIFETIME)
    return QuerySet(model).filter(expires_at__lte=at)


def _lock(expired: QuerySet[Any], *, after: Any, size: int) -> list[Any]:
    """Lock the next rows and return their keys; rows that are locked already are left out."""
    rest = expired if after is None else expired.filter(pk__gt=after)
    locked = rest.select_for_update(of=("self",), skip_locked=True).order_by("pk")
    return list(locked.values_list("pk", flat=True)[:size])


def _delete(model: type[Model], batch: list[Any], *, at: datetime) -> int:
    """Delete rows in one statement, after the attempts of deliveries in another."""
    rows = _expired(model, at).filter(pk__in=batch)
    if model is Delivery:
        _raw_delete(DeliveryAttempt.objects.filter(delivery__in=rows))
    return _raw_delete(rows)


def _raw_delete(rows: QuerySet[Any]) -> int:
    return int(rows._raw_delete(rows.db))  # noqa: SLF001 - delete() would read dependent rows

"""Expiry: applications whose deadline has passed are expired or denied, in a transaction each."""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DenialReason, StatusGroup
from onboarding.models import Application
from onboarding.models.applications import LATEST_MIDNIGHT
from onboarding.queries.leads import lock_application
from onboarding.services.applications import lifecycle
from onboarding.services.events.history import CLOCK
from onboarding.services.reviews import decisions

logger = logging.getLogger(__name__)

BATCH_SIZE = 500
UNSUBMITTED = [status for status in Status if status.group is StatusGroup.PENDING_APPLICANT]
WAITING = [status for status in Status if status.group is StatusGroup.ACTION_REQUIRED]


@dataclass(frozen=True)
class Outcome:
    """Outcome for an application: `fault` names the class of the exception; empty on success.

    `application_id` is the external id.
    """

    application_id: UUID
    fault: str = ""


def overdue(*, at: datetime) -> Q:
    """Return the condition for applications whose `deadline` has passed, current or not."""
    since = at - settings.APPLICATION_LIFETIME
    was_left = Q(
        status__in=UNSUBMITTED,
        lead__updated_at__lte=since,
        status_changed_at__lte=since,
        link_expires_at__lte=since + settings.LINK_LIFETIME,
    )
    never_returned = Q(entered_at=None) | Q(entered_at__lte=since)
    unanswered = Q(status__in=WAITING, status_changed_at__lte=at - settings.ACTION_LIFETIME)
    today = (at.astimezone(UTC) - LATEST_MIDNIGHT).date()
    ran_out = Q(status=Status.APPROVED_TEMPORARY, expiration_date__lt=today)
    return (was_left & never_returned) | unanswered | ran_out


def list_overdue(*, at: datetime, **wanted: Any) -> QuerySet[Application]:
    """Return the current applications that are overdue and match the filters `wanted`."""
    return Application.objects.filter(overdue(at=at), is_current=True, **wanted)


def expire_overdue(*, at: datetime, **wanted: Any) -> Iterator[Outcome]:
    """Expire each overdue application, or deny it if it has a temporary approval.

    Works while the result is iterated, in one transaction per application; `wanted` are filters.
    Yields an outcome for each application that was changed or failed.
    """
    return each(list_overdue(at=at, **wanted), partial(_expire, at=at))


def each(due: QuerySet[Application], act: Callable[[int], bool]) -> Iterator[Outcome]:
    """Call `act` with the key of each application; yield an outcome for each that it changed.

    `act` gets the primary key, must open a transaction, and returns whether it changed anything. An
    exception is logged and yielded as a fault, and the next application follows. Keys are read in
    batches of BATCH_SIZE.
    """
    keys = due.order_by("pk").values_list("pk", "external_id")
    batch = list(keys[:BATCH_SIZE])
    while batch:
        for pk, external_id in batch:
            try:
                is_done = act(pk)
            except Exception as exc:
                logger.exception("the clock failed at application %s", external_id)
                yield Outcome(external_id, fault=type(exc).__name__)
            else:
                if is_done:
                    yield Outcome(external_id)
        last, _ = batch[-1]
        batch = list(keys.filter(pk__gt=last)[:BATCH_SIZE])


@transaction.atomic
def _expire(pk: int, *, at: datetime) -> bool:
    """Expire or deny an application unless it is no longer overdue."""
    application = lock_application(overdue(at=at), pk=pk)
    if application is None:
        return False
    if application.status == Status.APPROVED_TEMPORARY:
        decisions.deny(application, reasons=[DenialReason.DOCUMENTS_OVERDUE], by=CLOCK, at=at)
    else:
        lifecycle.move(application, Status.EXPIRED, by=CLOCK, at=at)
    return True

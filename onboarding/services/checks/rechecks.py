"""Rechecks: checks run again for open cases and customers whose newest run is outdated."""

import logging
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import CheckSource, RunCause
from onboarding.event_types import EventType
from onboarding.models import Application, Event
from onboarding.queries.checks import list_outdated
from onboarding.queries.leads import lock_application
from onboarding.screening.sanctions import digest_comparison
from onboarding.services.applications.expiry import Outcome
from onboarding.services.checks import list_passes
from onboarding.services.checks.check_runs import run_checks

logger = logging.getLogger(__name__)

LOOKED_BACK = timedelta(days=7)
OPEN = [  # checked, and not decided for good
    Status.ID_VERIFICATION,
    Status.DOCUMENTS_REQUIRED,
    Status.IN_REVIEW,
    Status.APPROVED_TEMPORARY,
]


def recheck_outdated(
    *, at: datetime, until: Callable[[], bool] = lambda: False
) -> Iterator[Outcome]:
    """Check open cases without a run or with an outdated newest run, then approved customers.

    Customers are checked again for changed data, or because a list pass found a similar name, until
    `until` returns true; the next call continues. A check adds a run and moves no application.
    Works while the result is iterated, in one transaction per application, and yields an outcome
    for each. A failure is logged, and the next application follows.
    """
    for pk, external_id in list(_outdated().values_list("pk", "external_id")):
        yield _try_recheck(pk, external_id, at=at)
    for pk, external_id in list(_outdated_customers(at).values_list("pk", "external_id")):
        if until():
            return
        yield _try_recheck(pk, external_id, at=at)


def is_outdated(application: Application) -> bool:
    """Return whether an open case was never checked, or its newest run is outdated.

    While parties are compared with a newer list, each run with the former lists is outdated. False
    for an application that is no open case, and without a check provider.
    """
    sha256 = digest_comparison() if compares_names() and list_passes.is_running() else None
    return _outdated(sha256).filter(pk=application.pk).exists()


def compares_names() -> bool:
    """Return whether the checks compare names with lists: whether the built-in checks run."""
    return CheckSource.BUILT_IN in settings.CHECK_PROVIDERS


def _outdated(sha256: str | None = None) -> QuerySet[Application]:
    """Return open cases without a run or with an outdated newest run; none without a provider.

    With `sha256`, a digest of lists, a run with other lists is outdated, too.
    """
    if not settings.CHECK_PROVIDERS:
        return Application.objects.none()
    return list_outdated(sha256=sha256).filter(status__in=OPEN)


def _outdated_customers(at: datetime) -> QuerySet[Application]:
    """Return approved customers with changed data or a mark of a list pass since their newest run.

    Changes older than LOOKED_BACK are left out, so that each call reads few events. Empty if names
    are not compared or no list is loaded.
    """
    if not (compares_names() and digest_comparison()):
        return Application.objects.none()
    changed = Event.objects.filter(type=EventType.CHANGED, occurred_at__gte=at - LOOKED_BACK)
    customers = Application.objects.filter(is_current=True, status=Status.APPROVED).order_by()
    of_changed = customers.filter(lead__in=changed.values("lead"))
    candidates = customers.filter(needs_screening=True).values("pk").union(of_changed.values("pk"))
    is_changed = changed.filter(lead=OuterRef("lead"), occurred_at__gt=OuterRef("checked_at"))
    found = list_outdated(sha256=None).filter(pk__in=candidates, status=Status.APPROVED)
    return found.filter(Q(needs_screening=True) | Q(Exists(is_changed)))


def _try_recheck(pk: int, external_id: UUID, *, at: datetime) -> Outcome:
    try:
        _recheck(pk, at=at)
    except Exception as exc:
        logger.exception("checking application %s again failed", external_id)
        return Outcome(external_id, type(exc).__name__)
    return Outcome(external_id)


@transaction.atomic
def _recheck(pk: int, *, at: datetime) -> None:
    """Check an application again unless it was checked or decided meanwhile."""
    locked = lock_application(pk=pk, status__in=[*OPEN, Status.APPROVED])
    if locked is None:
        return
    is_customer = locked.status == Status.APPROVED
    rows = _outdated_customers(at) if is_customer else _outdated()
    if not rows.filter(pk=pk).exists():
        return
    newest = locked.check_runs.order_by("-number").first()
    if newest is None:
        cause = RunCause.SUBMITTED
    else:
        cause = RunCause.LIST_LOADED if locked.needs_screening else RunCause.ANSWERED
    run_checks(locked, cause=cause, at=at)

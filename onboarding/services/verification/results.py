"""Results: the end of a request, by an answer, a callback or its deadline, and what follows."""

import logging
from collections.abc import Mapping
from datetime import datetime

from django.db import transaction

from foundation import external_ids
from foundation.verification import registry
from foundation.verification.interface import Result, Unusable, WrongSignature
from onboarding.choices import RunCause, VerificationStatus
from onboarding.models import VerificationRequest
from onboarding.queries.leads import lock_application
from onboarding.services.checks.check_runs import run_checks
from onboarding.services.checks.rechecks import OPEN
from onboarding.services.verification import breakers

logger = logging.getLogger(__name__)
SETTLED = ["status", "result", "reference", "reasons", "received", "fault", "settled_at", "due_at"]


@transaction.atomic
def settle(
    pk: int,
    status: VerificationStatus,
    *,
    result: Result | None = None,
    received: bytes = b"",
    fault: str = "",
    at: datetime,
) -> bool:
    """End a request and make it due for `apply`; return whether this call ended the request.

    Does nothing if the request is answered already, or has ended and there is no `result`. A result
    that comes after the deadline, or after the provider refused the request, is saved, too.
    """
    row = VerificationRequest.objects.select_for_update().get(pk=pk)
    if row.status == VerificationStatus.ANSWERED or not (row.is_open or result):
        return False
    row.status, row.fault = status, fault[:200]
    row.received = received.decode("utf-8", "replace")
    if result:
        row.result, row.reference = result.outcome.value, result.reference
        row.reasons = list(result.reasons)
    row.settled_at = row.due_at = at
    row.save(update_fields=SETTLED)
    return True


@transaction.atomic
def apply(pk: int, *, at: datetime) -> None:
    """Run the checks of a request's application again with all results that are new to them.

    An application that is not screened yet, or is decided, is left alone.
    """
    row = VerificationRequest.objects.filter(pk=pk).only("application").get()
    application = lock_application(pk=row.application_id)
    new = VerificationRequest.objects.filter(
        application=row.application_id, settled_at__isnull=False, due_at__isnull=False
    )
    applied = list(new.values_list("pk", flat=True))
    if applied and application and application.is_current and application.status in OPEN:
        run_checks(application, cause=RunCause.VERIFIED, at=at)
    VerificationRequest.objects.filter(pk__in=applied).update(due_at=None)


def receive_callback(
    name: str, headers: Mapping[str, str], content: bytes, *, at: datetime
) -> None:
    """Save the result of a signed callback. An unknown request id is ignored without a sign.

    A repeated callback changes nothing, since the first answer counts.
    Raises: WrongSignature, also for an unknown provider; Unusable.
    """
    try:
        provider = registry.get_provider(name)
    except registry.NotConfigured:
        raise WrongSignature from None
    try:
        request_id, result = provider.read_callback(headers, content, at=at)
    except (WrongSignature, Unusable):
        raise
    except Exception as exc:  # noqa: BLE001 - its text could hold what was sent
        logger.error("the adapter of %s failed on a callback: %s", name, type(exc).__name__)
        raise Unusable("the callback cannot be read") from None
    breakers.record_callback(name, at=at)
    found = VerificationRequest.objects.filter(
        provider=name, external_id=external_ids.parse(request_id)
    )
    row = found.values_list("pk", flat=True).first()
    if row and isinstance(result, Result):
        settle(row, VerificationStatus.ANSWERED, result=result, received=content, at=at)

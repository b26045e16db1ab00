"""Sending: calls to providers by workers, from requests with a due time and a lease."""

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db.models import F, Q, QuerySet

from foundation.outbound import http_client
from foundation.outbound.http_client import AddressRefused, RequestFailed
from foundation.outbound.retry_after import read_retry_after
from foundation.verification import registry
from foundation.verification.interface import (
    Call,
    Kind,
    Pending,
    Provider,
    Question,
    Rejected,
    Reply,
    Result,
    Unusable,
)
from onboarding.choices import VerificationStatus
from onboarding.models import VerificationRequest
from onboarding.models.verifications import OPEN_REQUEST
from onboarding.services.verification import breakers, results

logger = logging.getLogger(__name__)

DISPATCH_TIMEOUT = timedelta(minutes=1)  # until a lost message is sent again
LEASE = timedelta(minutes=1)  # longer than a call takes
WAITS: Final = [timedelta(seconds=one) for one in (10, 30, 120, 600, 1800, 3600)]  # after failures
POLLS: Final = [timedelta(seconds=one) for one in (10, 30, 60, 300, 900)]  # while it is pending
CONNECT_SECONDS = 5
MAX_ANSWER_BYTES = 64 * 1024
TOO_LONG = f"the answer has more than {MAX_ANSWER_BYTES:,} bytes"


@dataclass(frozen=True)
class _Answer:
    """An answer of a provider, as the adapter read it and as bytes."""

    result: Result | Pending
    content: bytes


class _Busy(Unusable):
    """The provider asks to be called again after a delay."""

    def __init__(self, reply: Reply, wait: timedelta) -> None:
        super().__init__(f"the provider answered {reply.status}")
        self.wait = wait


def dispatch(*, at: datetime, limit: int) -> list[tuple[int, int]]:
    """Return key and attempts of due requests, for a message about each; the longest due first.

    Each is due again after DISPATCH_TIMEOUT, in case its message is lost. Requests to a provider
    whose breaker is open wait, unless their deadline has passed.
    """
    breakers.register(tuple(account.name for account in registry.list_accounts()))
    is_paused = OPEN_REQUEST & Q(deadline__gt=at, provider__in=breakers.list_paused(at=at))
    due = VerificationRequest.objects.filter(~is_paused, due_at__lte=at)
    found = list(due.order_by("due_at", "pk").values_list("pk", "attempts")[:limit])
    if found:
        due.filter(pk__in=[pk for pk, _ in found]).update(due_at=at + DISPATCH_TIMEOUT)
    return found


def work(pk: int, *, attempt: int, clock: Callable[[], datetime]) -> None:
    """Do the next step of a request, unless another attempt was made since the dispatch.

    A worker that is killed leaves a lease; the request is then sent again under the same key.
    """
    rows = VerificationRequest.objects.filter(pk=pk, attempts=attempt, due_at__isnull=False)
    request = rows.first()
    if request is None:
        return
    at = clock()
    if not request.is_open:
        results.apply(pk, at=at)
    elif request.deadline <= at:
        _end(request, VerificationStatus.UNANSWERED, fault=request.fault, at=at)
    elif rows.filter(OPEN_REQUEST).update(attempts=attempt + 1, due_at=at + LEASE):
        request.attempts = attempt + 1
        _try(request, clock)


def _try(request: VerificationRequest, clock: Callable[[], datetime]) -> None:
    """Call the provider, and save its answer or when to try again."""
    name, at = request.provider, clock()
    try:
        provider = registry.get_provider(name)
    except registry.NotConfigured as exc:
        _postpone(request, str(exc), at)
        return
    if not breakers.admit(name, at=at):
        _ours(request).update(due_at=at, attempts=F("attempts") - 1)
        return
    try:
        answer = _ask(provider, request, at)
    except Rejected as refused:
        breakers.record_answer(name, at=clock())
        _end(request, VerificationStatus.REJECTED, fault=str(refused), at=clock())
    except Unusable as failed:
        breakers.record_failure(name, str(failed), at=clock())
        asked = failed.wait if isinstance(failed, _Busy) else timedelta(0)
        _postpone(request, str(failed), clock(), asked=asked)
    else:
        breakers.record_answer(name, at=clock())
        _save(request, provider, answer, clock())


def _save(request: VerificationRequest, provider: Provider, answer: _Answer, at: datetime) -> None:
    if isinstance(answer.result, Result):
        result, received = answer.result, answer.content
        answered = VerificationStatus.ANSWERED
        if results.settle(request.pk, answered, result=result, received=received, at=at):
            results.apply(request.pk, at=at)
        return
    reference = answer.result.reference or request.reference
    is_polled = provider.poll(_question(request), reference) is not None
    wait = POLLS[min(request.attempts, len(POLLS)) - 1]
    _ours(request).update(
        status=VerificationStatus.SENT,
        reference=reference,
        fault="",
        due_at=min(at + wait, request.deadline) if is_polled else request.deadline,
    )


def _end(
    request: VerificationRequest, status: VerificationStatus, *, fault: str, at: datetime
) -> None:
    """End a request without a result, and run the checks of its application again."""
    if results.settle(request.pk, status, fault=fault, at=at):
        results.apply(request.pk, at=at)


def _postpone(
    request: VerificationRequest, fault: str, at: datetime, *, asked: timedelta = timedelta(0)
) -> None:
    """Schedule the next attempt: after `asked` or longer, by the deadline at the latest."""
    logger.warning("request %s to %s: %s", request.external_id, request.provider, fault)
    wait = max(WAITS[min(request.attempts, len(WAITS)) - 1], asked)
    _ours(request).update(due_at=min(at + wait, request.deadline), fault=fault[:200])


def _ask(provider: Provider, request: VerificationRequest, at: datetime) -> _Answer:
    """Send the call, and let the adapter read the answer. Raises: _Busy, Unusable, Rejected."""
    question = _question(request)
    try:
        call = None
        if request.status == VerificationStatus.SENT:
            call = provider.poll(question, request.reference)
        reply = _send(request.provider, call or provider.ask(question))
        wait = read_retry_after(reply.status, reply.headers, at=at, longest=WAITS[-1])
        if wait is not None:
            raise _Busy(reply, wait)
        return _Answer(provider.read_reply(question, reply), reply.content)
    except (Unusable, Rejected):
        raise
    except Exception as exc:  # noqa: BLE001 - its text could hold what was sent
        raise Unusable(f"the adapter failed ({type(exc).__name__})") from None


def _question(request: VerificationRequest) -> Question:
    """Return the question as it was recorded, without empty values."""
    subject = {name: value for name, value in json.loads(request.sent).items() if value}
    path = f"/service/verification/v1/callbacks/{request.provider}"
    callback_url = f"{settings.BASE_URL}{path}"
    return Question(str(request.external_id), Kind(request.kind), subject, callback_url)


def _send(name: str, call: Call) -> Reply:
    """Send a call through the pinned HTTP client. Raises: Unusable."""
    account = registry.get_account(name)
    try:
        answer = http_client.send_request(
            call.method,
            account.url + call.path,
            headers=call.headers,
            body=call.body,
            connect_seconds=CONNECT_SECONDS,
            seconds=settings.VERIFICATION_SECONDS,
            max_bytes=MAX_ANSWER_BYTES,
            allow_loopback=settings.ALLOW_LOOPBACK,
        )
    except AddressRefused as refused:
        raise Unusable(str(refused)) from None
    except RequestFailed as failed:
        raise Unusable(failed.reason) from None
    if answer.is_cut:
        raise Unusable(TOO_LONG)
    return Reply(answer.status, answer.headers, answer.content)


def _ours(request: VerificationRequest) -> QuerySet[VerificationRequest]:
    """Return a queryset of the request; empty once it is settled, or another attempt has it."""
    return VerificationRequest.objects.filter(
        OPEN_REQUEST, pk=request.pk, attempts=request.attempts
    )

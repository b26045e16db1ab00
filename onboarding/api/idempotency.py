"""The `Idempotency-Key` header around a write."""

import re
from collections.abc import Callable
from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from onboarding.models import IdempotencyRecord
from onboarding.services.partners import idempotency
from onboarding.services.work import as_one

VISIBLE_ASCII = re.compile(r"[\x21-\x7e]{1,200}")
NEVER_STORED = {"location", "token", "signingSecret"}


def read_key(request: Request) -> str | None:
    """Return the Idempotency-Key, if one was sent. Raises: IdempotencyKeyInvalid."""
    key = request.headers.get("Idempotency-Key")
    if key is not None and not VISIBLE_ASCII.fullmatch(key):
        raise idempotency.IdempotencyKeyInvalid
    return key


def once(
    request: Request,
    body_sha256: str,
    work: Callable[[], Response],
    *,
    refresh: Callable[[dict[str, Any]], dict[str, Any]] = dict,
) -> Response:
    """Do the work, or give the answer of the first call with this Idempotency-Key again.

    `refresh` puts what is never stored, such as a token, back into a stored answer.
    """
    key = read_key(request)
    if key is None:
        return work()
    record = idempotency.claim(
        partner=request.user,
        key=key,
        method=request.method,
        path=request.path,
        body_sha256=body_sha256,
        at=timezone.now(),
    )
    if record.completed_at:
        replayed = {"Idempotent-Replayed": "true"}
        return Response(refresh(record.body), status=record.http_status, headers=replayed)
    try:
        return as_one(lambda _: _answer(record, work))  # which goes if it cannot be kept
    except BaseException:
        idempotency.release(record)
        raise


def _answer(record: IdempotencyRecord, work: Callable[[], Response]) -> Response:
    response = work()
    kept = {name: item for name, item in response.data.items() if name not in NEVER_STORED}
    idempotency.complete(record, http_status=response.status_code, body=kept, at=timezone.now())
    return response

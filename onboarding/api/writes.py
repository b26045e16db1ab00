"""Writes: a decorator for view methods with a body, Idempotency-Key and transaction."""

import re
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial, wraps
from itertools import islice
from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from foundation.database.retries import retry_on_conflict
from onboarding.api.errors import MAX_NAMED
from onboarding.api.parsers import NO_BODY, Body, open_body
from onboarding.api.request_serializers import Path, RequestSerializer
from onboarding.models import IdempotencyRecord
from onboarding.services.documents.file_store import FileStore, file_transaction
from onboarding.services.partners import idempotency

Method = Callable[..., Response]
VISIBLE_ASCII = re.compile(r"[\x21-\x7e]{1,200}")
NEVER_STORED = {"location", "token", "signingSecret"}


@dataclass(frozen=True)
class Sent:
    """The values of a valid body under their Python names, and the paths of unknown fields."""

    values: Any
    unknown: list[Path]


def write(shape: RequestSerializer | None) -> Callable[[Method], Method]:
    """Wrap a view method `(self, request, sent: Sent, store: FileStore, **path)`.

    The body is checked against `shape`; no body is read for None. The method runs in one
    transaction, and again after a lost race for a unique value. If it fails, the files that it
    wrote to `store` are deleted. With an Idempotency-Key the answer is stored in the same
    transaction; a repeated call gets the stored answer, completed by `self.complete_replay`.
    Raises: IdempotencyKeyInvalid, IdempotencyKeyReused, IdempotencyInProgress, Invalid, and the
    exceptions of `open_body` and of the method.
    """

    def wrap(method: Method) -> Method:
        @wraps(method)
        def answer(self: Any, request: Request, **path: str) -> Response:
            with open_body(request) if shape else nullcontext(NO_BODY) as body:
                record = _claim(request, body)
                if record and record.completed_at:
                    return _replay(record, self)
                try:
                    return _run(partial(method, self, request, _check(body, shape), **path), record)
                except BaseException:
                    if record:
                        idempotency.release(record)
                    raise

        return answer

    return wrap


def read_key(request: Request) -> str | None:
    """Return the Idempotency-Key, if one was sent. Raises: IdempotencyKeyInvalid."""
    key = request.headers.get("Idempotency-Key")
    if key is not None and not VISIBLE_ASCII.fullmatch(key):
        raise idempotency.IdempotencyKeyInvalid
    return key


def _claim(request: Request, body: Body) -> IdempotencyRecord | None:
    key = read_key(request)
    if key is None:
        return None
    return idempotency.claim(
        partner=request.user,
        key=key,
        method=request.method,
        path=request.path,
        body_sha256=body.sha256,
        at=timezone.now(),
    )


def _replay(record: IdempotencyRecord, view: Any) -> Response:
    answer = view.complete_replay(record.body)
    return Response(answer, status=record.http_status, headers={"Idempotent-Replayed": "true"})


def _check(body: Body, shape: RequestSerializer | None) -> Sent:
    """Return the values of the body, and the first MAX_NAMED unknown fields. Raises: Invalid."""
    if shape is None:
        return Sent({}, [])
    return Sent(shape.clean(body.data), [*islice(shape.unknown(body.data), MAX_NAMED)])


@retry_on_conflict
def _run(work: Callable[[FileStore], Response], record: IdempotencyRecord | None) -> Response:
    """Run `work` in one transaction, again after a conflict, and return its response.

    With a record, the response is stored in it, without the values named in NEVER_STORED.
    """
    with file_transaction() as store:
        response = work(store)
        if record:
            kept = {name: item for name, item in response.data.items() if name not in NEVER_STORED}
            idempotency.complete(
                record, http_status=response.status_code, body=kept, at=timezone.now()
            )
    return response

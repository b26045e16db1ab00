"""Idempotency: the first response to a write, stored and replayed to every retry."""

import hashlib
import hmac
import math
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Q, QuerySet

from foundation.database import prepared_statements
from foundation.database.inserts import insert_unless_present
from onboarding.errors import ErrorCode, Refused
from onboarding.models import IdempotencyRecord, Partner

# How long a call that died keeps its key locked. Longer than a live call may wait for the lock of
# SQLite, 20 seconds: a retry that takes over its key rolls back the work of the call.
LEASE = timedelta(seconds=30)


class IdempotencyKeyInvalid(Refused):
    """The key is empty, too long, or not visible ASCII."""

    code = ErrorCode.IDEMPOTENCY_KEY_INVALID


class IdempotencyKeyReused(Refused):
    """The key was used with another body."""

    code = ErrorCode.IDEMPOTENCY_KEY_REUSED


class IdempotencyInProgress(Refused):
    """The first call with the key has not ended; its lease ends after `left` at the latest."""

    code = ErrorCode.IDEMPOTENCY_IN_PROGRESS

    def __init__(self, *, left: timedelta = timedelta()) -> None:
        super().__init__()
        self.retry_after = max(1, math.ceil(min(left, LEASE).total_seconds()))


def claim(
    *, partner: Partner, key: str, method: str, path: str, body_sha256: str, at: datetime
) -> IdempotencyRecord:
    """Return the record of a key: with `completed_at`, to be replayed; else claimed by this call.

    Call it outside a transaction: a second call must see the record before the work starts.
    Raises: IdempotencyKeyReused, IdempotencyInProgress.
    """
    record, *formers = (
        IdempotencyRecord(
            partner_id=partner.pk,
            method=method,
            path=path,
            key=_fingerprint(key, pepper),
            body_sha256=_fingerprint(body_sha256, pepper),
            locked_until=at + LEASE,
            expires_at=at + settings.IDEMPOTENCY_LIFETIME,
        )
        for pepper in (settings.API_KEY_PEPPER, *settings.API_KEY_PEPPER_FALLBACKS)
    )
    for former in formers:  # stored before API_KEY_PEPPER was replaced
        if _stored(former):
            record = former
    if insert_unless_present(record):
        return record
    stored = _stored(record)
    if stored is None:  # the first call was refused just now and freed the key
        raise IdempotencyInProgress
    if stored.expires_at > at:
        if stored.body_sha256 != record.body_sha256:
            raise IdempotencyKeyReused
        if stored.completed_at:
            return stored
    return _take_over(stored, record, at=at)


def complete(record: IdempotencyRecord, *, http_status: int, body: Any, at: datetime) -> None:
    """Save the response. Call it in the transaction of the work, so that both or none are saved.

    Raises: IdempotencyInProgress if the lease lapsed and another call took the key over.
    """
    record.http_status, record.body, record.completed_at = http_status, body, at
    ours = {"completed_at": None, "locked_until": record.locked_until}
    if not prepared_statements.update(record, ["http_status", "body", "completed_at"], **ours):
        raise IdempotencyInProgress


def release(record: IdempotencyRecord) -> None:
    """Free the key of a refused call, so that the corrected call can use it.

    Does nothing if another call has taken the key over.
    """
    _ours(record).delete()


def _stored(record: IdempotencyRecord) -> IdempotencyRecord | None:
    """Return the record that another call stored under the same key."""
    known = {name: getattr(record, name) for name in ("partner_id", "key", "method", "path")}
    return IdempotencyRecord.objects.filter(**known).first()


def _ours(record: IdempotencyRecord) -> QuerySet[IdempotencyRecord]:
    """Return a queryset of the record; empty once another call has taken over its lease."""
    return IdempotencyRecord.objects.filter(
        pk=record.pk, completed_at=None, locked_until=record.locked_until
    )


def _take_over(
    stored: IdempotencyRecord, record: IdempotencyRecord, *, at: datetime
) -> IdempotencyRecord:
    abandoned = Q(expires_at__lte=at) | Q(completed_at=None, locked_until__lte=at)
    fresh = {name: getattr(record, name) for name in ("body_sha256", "locked_until", "expires_at")}
    unanswered = {"completed_at": None, "http_status": None, "body": None}
    untouched = IdempotencyRecord.objects.filter(
        abandoned, pk=stored.pk, locked_until=stored.locked_until
    )
    if not untouched.update(**fresh, **unanswered):
        raise IdempotencyInProgress(left=stored.locked_until - at)
    stored.refresh_from_db()
    return stored


def _fingerprint(text: str, pepper: str) -> str:
    """Return a keyed hash, since keys may hold personal numbers, and bodies may be guessed.

    API_KEY_PEPPER stays the same while keys of personal numbers are rotated, so that processes
    before and after a rotation find the same record.
    """
    message = f"idempotency\0{text}".encode()
    return hmac.digest(pepper.encode(), message, hashlib.sha256).hex()

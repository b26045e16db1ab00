"""Idempotency: the first answer to a write is kept for a day and given to every retry."""

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

# A call that died leaves its key locked for so long. Not shorter: a live call may wait 20 seconds
# for the lock of SQLite, and a retry that takes over its key voids what the call did.
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
    """Return the record of a key: a completed one to replay, or one to work under.

    It is committed before the work starts, so a second call sees it.
    Raises: IdempotencyKeyReused, IdempotencyInProgress.
    """
    record = IdempotencyRecord(
        partner_id=partner.pk,
        method=method,
        path=path,
        key=_fingerprint(key),
        body_sha256=_fingerprint(body_sha256),
        locked_until=at + LEASE,
        expires_at=at + settings.IDEMPOTENCY_LIFETIME,
    )
    if insert_unless_present(record):
        return record
    known = {"partner": partner, "key": record.key, "method": method, "path": path}
    stored = IdempotencyRecord.objects.filter(**known).first()
    if stored is None:  # the first call was refused in this very moment
        raise IdempotencyInProgress
    if stored.expires_at > at:
        if stored.body_sha256 != record.body_sha256:
            raise IdempotencyKeyReused
        if stored.completed_at:
            return stored
    return _take_over(stored, record, at=at)


def complete(record: IdempotencyRecord, *, http_status: int, body: Any, at: datetime) -> None:
    """Keep the answer; in the transaction of the work, so both hold or neither does.

    Raises: IdempotencyInProgress if the lease lapsed and another call took the key over.
    """
    record.http_status, record.body, record.completed_at = http_status, body, at
    ours = {"completed_at": None, "locked_until": record.locked_until}
    if not prepared_statements.update(record, ["http_status", "body", "completed_at"], **ours):
        raise IdempotencyInProgress


def release(record: IdempotencyRecord) -> None:
    """Free the key of a call that was refused: the corrected call may use it."""
    _ours(record).delete()


def _ours(record: IdempotencyRecord) -> QuerySet[IdempotencyRecord]:
    """Return the record as long as nobody took it over: its lease is what we claimed."""
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


def _fingerprint(text: str) -> str:
    """Return a keyed hash: clients make keys of personal numbers, and bodies have few unknowns."""
    message = f"idempotency\0{text}".encode()
    return hmac.digest(settings.PII_INDEX_KEY.encode(), message, hashlib.sha256).hex()

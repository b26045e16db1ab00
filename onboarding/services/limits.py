"""Limits per minute: counted in one statement, shared by every process."""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import QuerySet

from onboarding.errors import ErrorCode, Refused
from onboarding.models import RateWindow

WINDOW = timedelta(minutes=1)
UNREACHABLE = 2**31 - 1
COUNT = """
    INSERT INTO onboarding_ratewindow AS held (subject, count, expires_at)
    VALUES {rows}
    ON CONFLICT (subject) DO UPDATE SET
        count = CASE WHEN held.expires_at > %s THEN held.count + 1 ELSE 1 END,
        expires_at = CASE
            WHEN held.expires_at > %s AND held.count + 1 <> %s THEN held.expires_at
            ELSE excluded.expires_at
        END
    RETURNING subject, count, expires_at
"""


class RateLimited(Refused):
    """The subject did too much in its current minute."""

    code = ErrorCode.RATE_LIMITED

    def __init__(self, usage: "Usage") -> None:
        self.usage = usage
        super().__init__(seconds=usage.reset_seconds)


@dataclass(frozen=True)
class Usage:
    """What is left of a limit: `remaining` of `limit`, anew in `reset_seconds`."""

    limit: int
    remaining: int
    reset_seconds: int


def per_minute(limit: int) -> int:
    """Return the limit as this deployment scales it; 0 where limits are off."""
    return math.ceil(limit * settings.RATE_LIMIT_FACTOR)


def spend(allowances: Mapping[str, int], *, at: datetime) -> Usage | None:
    """Count one event of each subject against its limit per minute.

    Shape: what is left of the tightest limit; None where limits are off.
    Raises: RateLimited.
    """
    if settings.RATE_LIMIT_FACTOR == 0:
        return None
    usages = [
        _usage(window, limit=per_minute(allowances[window.subject]), at=at)
        for window in _count(list(allowances), at=at, hold_at=UNREACHABLE)
    ]
    tightest = min(usages, key=lambda usage: usage.remaining)
    if tightest.remaining < 0:
        raise RateLimited(Usage(tightest.limit, 0, tightest.reset_seconds))
    return tightest


def record_failure(*, address: str, access_key: str, at: datetime) -> Usage | None:
    """Count a failed authentication of an address and of the key that it tried.

    The last one allowed starts 60 seconds in which further ones are RateLimited.
    Raises: RateLimited.
    """
    limit = per_minute(settings.FAILED_AUTHENTICATIONS_PER_MINUTE)
    if limit == 0:
        return None
    windows = _count([failures_of(address), failures_of(access_key)], at=at, hold_at=limit)
    worst = max(windows, key=lambda window: window.count)
    usage = _usage(worst, limit=limit, at=at)
    if usage.remaining < 0:
        raise RateLimited(Usage(limit, 0, usage.reset_seconds))
    return usage


def held_window(*, failures_by: str, at: datetime) -> QuerySet[RateWindow]:
    """Return the window of an address that failed too often and is refused until it ends."""
    limit = per_minute(settings.FAILED_AUTHENTICATIONS_PER_MINUTE) or UNREACHABLE
    return RateWindow.objects.filter(
        subject=failures_of(failures_by), count__gte=limit, expires_at__gt=at
    )


def refuse_held(address: str, *, at: datetime) -> None:
    """Raise RateLimited for an address whose window is held."""
    window = held_window(failures_by=address, at=at).first()
    if window:
        limit = per_minute(settings.FAILED_AUTHENTICATIONS_PER_MINUTE)
        raise RateLimited(Usage(limit, 0, _usage(window, limit=limit, at=at).reset_seconds))


def failures_of(who: str) -> str:
    """Return the subject under which the failures of an address or an access key are counted."""
    return f"failures:{hashlib.sha256(who.encode()).hexdigest()}"


def _count(subjects: list[str], *, at: datetime, hold_at: int) -> list[RateWindow]:
    subjects = sorted(set(subjects))  # one order everywhere, so that no two statements deadlock
    rows = ", ".join(["(%s, 1, %s)"] * len(subjects))
    values = [value for subject in subjects for value in (subject, at + WINDOW)]
    counted = RateWindow.objects.raw(COUNT.format(rows=rows), [*values, at, at, hold_at])
    return list(counted)


def _usage(window: RateWindow, *, limit: int, at: datetime) -> Usage:
    left = min(window.expires_at - at, WINDOW)  # a call at the same time may be a little later
    return Usage(limit, limit - window.count, max(math.ceil(left.total_seconds()), 1))

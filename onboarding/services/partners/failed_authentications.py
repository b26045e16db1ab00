"""Failed authentications: counts per address and per key, and the refusal of held addresses."""

import hashlib
from datetime import datetime
from typing import Any

from django.conf import settings

from banking.models import RateWindow
from foundation.throttling import rate_limits
from foundation.throttling.rate_limits import RateLimited, RateWindowQuerySet, Usage


def record_failure(*, address: str, access_key: str, at: datetime) -> Usage | None:
    """Count a failed authentication against the address and the access key.

    The last allowed failure starts 60 seconds in which further failures are RateLimited. Returns
    the usage of the subject with more failures; None if failures are not limited.
    Raises: RateLimited.
    """
    limit = _limit()
    if limit == 0:
        return None
    subjects = [failures_of(address), failures_of(access_key)]
    worst = max(rate_limits.count(subjects, at=at, hold_at=limit), key=lambda held: held.count)
    usage = Usage.of(worst, limit=limit, at=at)
    if usage.remaining < 0:
        raise RateLimited(usage, of=worst.subject)
    return usage


def held_window(*, subject: Any, hold_at: Any, at: Any, latest: Any) -> RateWindowQuerySet:
    """Return the query for the current window of a subject, if it has `hold_at` failures or more.

    The subject is one that `failures_of` returns, `latest` is the `latest_end` of `at`. Each
    argument can also be the `Parameter` of a compiled query.
    """
    current = RateWindow.objects.current(at=at, latest=latest)
    return current.filter(subject=subject, count__gte=hold_at)


def hold_at() -> int:
    """Return the number of failures within a minute from which an address is refused."""
    return _limit() or rate_limits.NO_LIMIT


def refuse_held(address: str, *, at: datetime) -> None:
    """Raise RateLimited for an address with as many failures as `hold_at()` returns, or more."""
    latest = rate_limits.latest_end(at)
    subject = failures_of(address)
    window = held_window(subject=subject, hold_at=hold_at(), at=at, latest=latest).first()
    if window:
        raise RateLimited(Usage.of(window, limit=_limit(), at=at), of=window.subject)


def failures_of(who: str) -> str:
    """Return the subject under which the failures of an address or an access key are counted."""
    return f"failures:{hashlib.sha256(who.encode()).hexdigest()}"


def _limit() -> int:
    return rate_limits.per_minute(settings.FAILED_AUTHENTICATIONS_PER_MINUTE)

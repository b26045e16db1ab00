"""Failed sign-ins: a growing delay per account, for attempts from all addresses.

An account is counted apart for each browser that has signed in to it, and once for all others, so
nobody can delay the owner of an account on a browser that the owner has used. Whether an account
exists makes no difference.
"""

import hashlib
from datetime import datetime, timedelta

from django.conf import settings

from banking.models import RateWindow
from foundation.throttling import rate_limits

FREE_FAILURES = 20  # failures in a row without a delay
FIRST_DELAY = timedelta(minutes=1)  # doubled by each further failure
MAX_DELAY = timedelta(days=1)
FAILURE_WINDOW = timedelta(days=30)  # so that a month has fewer than 100 attempts


class TooSoon(Exception):
    """No password is checked for the account before `until`."""

    def __init__(self, until: datetime) -> None:
        self.until = until
        super().__init__(f"no password is checked before {until}")


def record(email: str, *, device: str, at: datetime) -> None:
    """Count a sign-in attempt as failed, before its password is checked. `forget` resets the count.

    Once there is a delay, only one of several concurrent attempts proceeds. Raises: TooSoon.
    """
    if settings.RATE_LIMIT_FACTOR == 0:
        return
    failures, delayed = _subjects(email, device)
    latest = rate_limits.latest_end(at, window=FAILURE_WINDOW)
    counted = RateWindow.objects.current(at=at, latest=latest).filter(subject=failures).first()
    if counted and counted.count >= FREE_FAILURES:
        [claim] = rate_limits.count([delayed], at=at, window=delay_after(counted.count))
        if claim.count > 1:
            raise TooSoon(claim.expires_at)
    rate_limits.count([failures], at=at, window=FAILURE_WINDOW)


def forget(email: str, *, device: str = "") -> None:
    """Forget the failures of a browser at an account; without `device`, of all unknown browsers."""
    RateWindow.objects.filter(subject__in=_subjects(email, device)).delete()


def delay_after(failures: int) -> timedelta:
    """Return the delay between two attempts after this number of failures."""
    doublings = min(max(failures - FREE_FAILURES, 0), 20)
    return min(FIRST_DELAY * (1 << doublings), MAX_DELAY)


def digest(email: str, device: str = "") -> str:
    """Return the name of an account, or of a browser at it, in the subjects of counters."""
    return hashlib.sha256(f"{email.strip().lower()}\n{device}".encode()).hexdigest()[:40]


def _subjects(email: str, device: str) -> list[str]:
    name = digest(email, device)
    return [f"sign-in-failures:{name}", f"sign-in-delay:{name}"]

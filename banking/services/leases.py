"""Leases: keep periodic work from being done by two workers at once."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from banking.models import Lease

LEASE_DURATION = timedelta(seconds=15)  # longer than a sweep; a killed worker blocks as long


@contextmanager
def hold(name: str, *, clock: Callable[[], datetime]) -> Iterator[bool]:
    """Yield True and hold the lease while the block runs, or yield False if another holder has it.

    The block runs in both cases. No lock is held meanwhile. The work must tolerate a second worker:
    a holder that takes longer than LEASE_DURATION loses the lease.
    """
    expires_at = _claim(name, at=clock())
    try:
        yield expires_at is not None
    finally:
        if expires_at is not None:
            Lease.objects.filter(name=name, expires_at=expires_at).update(expires_at=clock())


def _claim(name: str, *, at: datetime) -> datetime | None:
    """Return when the lease that this claim takes expires, or None if another holder has it."""
    expires_at = at + LEASE_DURATION
    if Lease.objects.filter(name=name, expires_at__lte=at).update(expires_at=expires_at):
        return expires_at
    _, is_new = Lease.objects.get_or_create(name=name, defaults={"expires_at": expires_at})
    return expires_at if is_new else None

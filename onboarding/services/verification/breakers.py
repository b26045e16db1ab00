"""Circuit breakers: a provider that keeps failing is asked nothing for a while, then once."""

import functools
from datetime import datetime, timedelta

from django.db.models import F, Q, QuerySet

from onboarding.models import VerificationProvider
from onboarding.models.verifications import MAX_FAILURES

FIRST_PAUSE = timedelta(minutes=1)
LONGEST_PAUSE = timedelta(minutes=30)
TRIAL_LEASE = timedelta(minutes=1)  # longer than a call takes


def list_paused(*, at: datetime) -> QuerySet[VerificationProvider, str]:
    """Return the names of providers whose breaker is open, or on a trial by another worker."""
    paused = Q(open_until__gt=at) | Q(open_until__lte=at, trial_until__gt=at)
    return VerificationProvider.objects.filter(paused).order_by().values_list("name", flat=True)


def admit(name: str, *, at: datetime) -> bool:
    """Return whether a call to a provider may be sent now.

    After a pause the first caller gets True, for one trial call, and other callers False until the
    trial has an outcome or TRIAL_LEASE has passed.
    """
    state, _ = VerificationProvider.objects.get_or_create(name=name)
    if state.open_until is None:
        return True
    free = Q(trial_until=None) | Q(trial_until__lte=at)
    trial = VerificationProvider.objects.filter(free, name=name, open_until__lte=at)
    return bool(trial.update(trial_until=at + TRIAL_LEASE))


def record_answer(name: str, *, at: datetime) -> None:
    """Record that a provider answered a call, and end its pause and its count of failures."""
    values = {"failures": 0, "open_until": None, "trial_until": None, "answered_at": at}
    VerificationProvider.objects.filter(name=name).update(**values)


def record_failure(name: str, fault: str, *, at: datetime) -> None:
    """Count a failure, and open the breaker after MAX_FAILURES in a row, longer each time."""
    state = VerificationProvider.objects.filter(name=name)
    state.update(failures=F("failures") + 1, failed_at=at, fault=fault[:200], trial_until=None)
    failures = state.values_list("failures", flat=True).first() or 0
    if failures >= MAX_FAILURES:
        pause = min(FIRST_PAUSE * 2 ** min(failures - MAX_FAILURES, 10), LONGEST_PAUSE)
        state.update(open_until=at + pause)


def record_callback(name: str, *, at: datetime) -> None:
    """Save the time of a signed callback as the provider's last answer.

    The pause and the count of failures stay: a callback does not show that calls succeed.
    """
    VerificationProvider.objects.filter(name=name).update(answered_at=at)


@functools.cache
def register(names: tuple[str, ...]) -> None:
    """Make the rows of configured providers, once per process, so that staff see each of them."""
    for name in names:
        VerificationProvider.objects.get_or_create(name=name)

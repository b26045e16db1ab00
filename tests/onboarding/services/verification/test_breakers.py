import pytest

from onboarding.choices import BreakerState
from onboarding.models import VerificationProvider
from onboarding.services.verification import breakers
from tests.factories import NOON, later


@pytest.fixture
def failing(db):
    breakers.admit("acme", at=NOON)
    for _ in range(5):
        breakers.record_failure("acme", "the provider answered 500", at=NOON)


def state():
    return VerificationProvider.objects.get()


def test_four_failures_pause_nobody(db):
    assert breakers.admit("acme", at=NOON)
    for _ in range(4):
        breakers.record_failure("acme", "timed out", at=NOON)

    assert breakers.admit("acme", at=NOON)
    assert list(breakers.list_paused(at=NOON)) == []
    assert (state().fault, state().failed_at) == ("timed out", NOON)


def test_the_fifth_failure_in_a_row_does(failing):
    assert not breakers.admit("acme", at=later(seconds=59))
    assert list(breakers.list_paused(at=NOON)) == ["acme"]


def test_one_worker_gets_the_trial(failing):
    assert breakers.admit("acme", at=later(seconds=60))
    assert not breakers.admit("acme", at=later(seconds=61))
    assert list(breakers.list_paused(at=later(seconds=61))) == ["acme"]


def test_a_trial_whose_worker_was_killed_is_given_to_another(failing):
    breakers.admit("acme", at=later(seconds=60))

    assert breakers.admit("acme", at=later(seconds=121))


def test_pauses_get_longer_up_to_half_an_hour(failing):
    pauses = []
    for _ in range(7):
        breakers.record_failure("acme", "x", at=NOON)
        pauses.append((state().open_until - NOON).total_seconds() / 60)

    assert pauses == [2, 4, 8, 16, 30, 30, 30]


def test_an_answer_closes_it(failing):
    breakers.record_answer("acme", at=later(minutes=2))

    assert state().breaker(at=later(minutes=2)) is BreakerState.CLOSED
    assert (state().failures, state().answered_at) == (0, later(minutes=2))


def test_a_callback_does_not(failing):
    breakers.record_callback("acme", at=later(minutes=2))

    assert state().failures == 5
    assert state().answered_at == later(minutes=2)


def test_configured_providers_are_registered_once(db):
    for _ in range(2):
        breakers.register.cache_clear()  # another process
        breakers.register(("one", "two"))

    assert [str(one) for one in VerificationProvider.objects.all()] == ["one", "two"]

"""Attempts to sign in: when the next one is looked at."""

from datetime import timedelta

import pytest

from mcp_server.services import sign_in_attempts
from mcp_server.services.sign_in_attempts import FREE_FAILURES, TooSoon
from tests.factories import NOON

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("limits_on")]
EMAIL = "grace@example.com"


def fail(number, *, email=EMAIL, device="", at=NOON):
    for _ in range(number):
        sign_in_attempts.record(email, device=device, at=at)


def test_each_failure_after_the_free_ones_doubles_the_delay():
    fail(FREE_FAILURES + 1)

    with pytest.raises(TooSoon) as first:
        fail(1, at=NOON + timedelta(seconds=59))
    fail(1, at=NOON + timedelta(minutes=1))
    with pytest.raises(TooSoon) as second:
        fail(1, at=NOON + timedelta(minutes=2))

    assert first.value.until == NOON + timedelta(minutes=1)
    assert second.value.until == NOON + timedelta(minutes=3)


def test_a_month_has_fewer_than_a_hundred_attempts():
    at, attempts = NOON, 0

    while at < NOON + timedelta(days=30):
        attempts += 1
        at += sign_in_attempts.delay_after(attempts) if attempts > FREE_FAILURES else timedelta(0)

    assert attempts < 100


def test_attempts_that_are_refused_do_not_lengthen_the_delay():
    fail(FREE_FAILURES + 1)

    for _ in range(5):
        with pytest.raises(TooSoon) as refused:
            fail(1)

    assert refused.value.until == NOON + timedelta(minutes=1)


@pytest.mark.parametrize("other", [{"device": "known"}, {"email": "ada@example.com"}])
def test_a_known_device_and_another_account_are_not_delayed(other):
    fail(FREE_FAILURES + 1)

    fail(FREE_FAILURES, **other)


def test_a_known_device_has_a_delay_of_its_own():
    fail(FREE_FAILURES + 1, device="known")

    with pytest.raises(TooSoon):
        fail(1, device="known")
    fail(1)


def test_what_is_forgotten_delays_nobody():
    fail(FREE_FAILURES + 1)

    sign_in_attempts.forget("Grace@Example.com ")

    fail(FREE_FAILURES)


def test_of_ten_attempts_at_once_one_is_let_through(in_threads):
    fail(FREE_FAILURES)

    outcomes = in_threads(lambda _: fail(1), range(10))

    assert sum(isinstance(outcome, TooSoon) for outcome in outcomes) == 9
    assert outcomes.count(None) == 1


def test_a_delay_from_before_the_clock_was_set_back_is_over():
    fail(FREE_FAILURES + 1, at=NOON + timedelta(days=90))

    fail(1)

"""Leases: one holder at a time."""

import threading
from contextlib import ExitStack
from datetime import timedelta

import pytest

from banking.models import Lease
from banking.services import leases
from tests.factories import NOON, later


def hold(at=NOON):
    return leases.hold("work", clock=lambda: at)


@pytest.fixture
def lost(db):
    """Leave a lease as a worker that was killed at noon leaves it."""
    Lease.objects.create(name="work", expires_at=NOON + leases.LEASE_DURATION)


def test_a_lease_has_one_holder(db):
    with hold() as is_first, hold() as is_second:
        assert (is_first, is_second) == (True, False)


def test_a_lease_is_free_again_after_the_work(db):
    with hold():
        pass

    with hold() as is_held:
        assert is_held


def test_a_lease_is_free_again_after_a_failure(db):
    with pytest.raises(ZeroDivisionError), hold():
        raise ZeroDivisionError

    with hold() as is_held:
        assert is_held


def test_the_lease_of_a_killed_worker_ends_by_itself(lost):
    with hold(NOON + leases.LEASE_DURATION - timedelta(seconds=1)) as is_early:
        assert not is_early
    with hold(NOON + leases.LEASE_DURATION) as is_held:
        assert is_held


def test_a_holder_that_took_too_long_leaves_the_lease_to_the_next(db):
    with ExitStack() as slow, ExitStack() as next_one:
        slow.enter_context(hold())
        assert next_one.enter_context(hold(later(minutes=1)))

        slow.close()

        with hold(later(minutes=1)) as is_third:
            assert not is_third


def test_of_two_at_once_one_has_the_lease(in_threads):
    both_tried = threading.Barrier(2, timeout=30)

    def work(at):
        with hold(at) as is_held:
            both_tried.wait()
        return is_held

    assert sorted(in_threads(work, [NOON, NOON])) == [False, True]

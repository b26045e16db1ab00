"""A function that lost a race for a unique value is called again, a bounded number of times."""

import pytest
from django.db import IntegrityError

from foundation.database.retries import MAX_RETRIES, retry_on_conflict


def losing(times):
    """Return a function that raises IntegrityError so many times, and then counts its calls."""
    calls = []

    @retry_on_conflict
    def call(name, *, fails_with=IntegrityError):
        calls.append(name)
        if len(calls) <= times:
            raise fails_with("somebody was faster")
        return len(calls)

    call.calls = calls
    return call


def test_a_lost_race_is_run_again():
    assert losing(MAX_RETRIES)("lead") == MAX_RETRIES + 1


def test_a_race_that_is_always_lost_is_given_up():
    call = losing(MAX_RETRIES + 1)

    with pytest.raises(IntegrityError, match="faster"):
        call("lead")

    assert call.calls == ["lead"] * (MAX_RETRIES + 1)


def test_other_errors_are_not_repeated():
    call = losing(1)

    with pytest.raises(LookupError):
        call("lead", fails_with=LookupError)

    assert call.calls == ["lead"]

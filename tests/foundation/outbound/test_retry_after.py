from datetime import timedelta

import pytest

from foundation.outbound.retry_after import read_retry_after
from tests.factories import NOON

DAY = timedelta(hours=24)


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(
    ("value", "wait"),
    [
        ("120", timedelta(minutes=2)),
        ("0", timedelta(0)),
        ("86401", timedelta(hours=24)),
        ("9" * 5000, timedelta(hours=24)),
        ("Mon, 02 Mar 2026 12:00:30 GMT", timedelta(seconds=30)),
        ("Mon, 02 Mar 2026 12:00:30 -0000", timedelta(seconds=30)),
        ("Mon, 02 Mar 2026 11:00:00 GMT", timedelta(0)),
        ("Wed, 02 Mar 2033 12:00:00 GMT", timedelta(hours=24)),
        ("-5", None),
        ("1.5", None),
        ("soon", None),
        ("Mon, 99 Mar 2026 12:00:30 GMT", None),
        ("", None),
    ],
)
def test_a_busy_server_may_say_when_to_come_again(status, value, wait):
    headers = {"Retry-After": value}

    assert read_retry_after(status, headers, at=NOON, longest=DAY) == wait


@pytest.mark.parametrize("status", [200, 400, 410, 500])
def test_only_a_server_that_is_busy_is_heard(status):
    assert read_retry_after(status, {"Retry-After": "120"}, at=NOON, longest=DAY) is None


def test_a_server_may_say_nothing():
    assert read_retry_after(429, {}, at=NOON, longest=DAY) is None

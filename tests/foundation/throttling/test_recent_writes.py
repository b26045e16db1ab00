"""Who wrote a moment ago; with a replica alone. `test_replica.py` has it from end to end."""

from datetime import timedelta

import pytest
from django.db import connection

from banking.models import RateWindow
from foundation.throttling import rate_limits, recent_writes
from tests.factories import NOON

pytestmark = pytest.mark.django_db


@pytest.fixture
def replica(settings):
    settings.DATABASE_REPLICA, settings.REPLICA_LAG_SECONDS = {"NAME": "x"}, 5
    settings.RATE_LIMIT_FACTOR = 1


def test_without_a_replica_nothing_is_noted(django_assert_num_queries):
    session = {}
    with django_assert_num_queries(0):
        recent_writes.note("partner:1", at=NOON)
        recent_writes.note_in_session(session, at=NOON)

    assert session == {}


@pytest.mark.usefixtures("replica")
@pytest.mark.skipif(connection.vendor != "postgresql", reason="a replica needs PostgreSQL")
def test_the_statement_that_counts_tells_of_it_until_the_bound_is_over(django_assert_num_queries):
    recent_writes.note("partner:1", at=NOON - timedelta(seconds=3))
    recent_writes.note("partner:1", at=NOON)
    told = []
    with django_assert_num_queries(4):
        for writer, seconds in [("partner:1", 6), ("partner:2", 6), ("partner:1", 8), ("", 6)]:
            at = NOON + timedelta(seconds=seconds)
            told.append(rate_limits.spend({"calls:k": 9}, at=at, writer=writer).wrote)

    assert told == [True, False, False, False]
    assert set(RateWindow.objects.values_list("subject", flat=True)) == {
        "calls:k",
        "wrote:partner:1",
    }


@pytest.mark.usefixtures("replica")
def test_a_session_tells_of_it_until_the_bound_is_over():
    session = {}
    recent_writes.note_in_session(session, at=NOON)

    told = [
        recent_writes.is_in_session(session, at=NOON + timedelta(seconds=seconds))
        for seconds in (0, 6, 8)
    ]

    assert told == [True, True, False]
    assert not recent_writes.is_in_session({}, at=NOON)

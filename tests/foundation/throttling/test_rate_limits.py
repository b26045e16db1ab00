"""Limits: counted per subject, tightest first, anew when the window ends."""

from datetime import UTC, timedelta

import pytest
from django.db import connection

from banking.models import RateWindow
from foundation.throttling import rate_limits
from tests.factories import NOON, later

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("limits_on")]
HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.9", "192.0.2.9"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("2001:DB8:1:2::1", "2001:db8:1:2::"),
        ("2001:db8:1:3::1", "2001:db8:1:3::"),
        ("::ffff:192.0.2.9", "192.0.2.9"),
        ("fe80::1%eth0", "fe80::"),
    ],
)
def test_a_caller_is_counted_by_address_or_by_the_first_half_of_it(address, network):
    assert rate_limits.network_of(address) == network


def test_what_is_left_is_that_of_the_tightest_limit():
    rate_limits.spend({"calls:a": 10}, at=NOON)

    usage = rate_limits.spend({"calls:a": 10, "creates:a": 3}, at=later(seconds=20))

    assert usage == rate_limits.Usage(limit=3, remaining=2, reset_seconds=60)


def test_over_the_limit_is_refused_until_the_window_ends():
    for _ in range(2):
        rate_limits.spend({"calls:a": 2}, at=NOON)

    with pytest.raises(rate_limits.RateLimited) as refused:
        rate_limits.spend({"calls:a": 2}, at=later(seconds=50))

    assert refused.value.usage == rate_limits.Usage(limit=2, remaining=0, reset_seconds=10)
    assert rate_limits.spend({"calls:a": 2}, at=later(seconds=60)).remaining == 1


def test_a_limit_may_be_one_per_hour():
    rate_limits.spend({"registrations:a": 1}, at=NOON, window=HOUR)

    with pytest.raises(rate_limits.RateLimited) as refused:
        rate_limits.spend({"registrations:a": 1}, at=later(minutes=50), window=HOUR)

    assert refused.value.usage == rate_limits.Usage(limit=1, remaining=0, reset_seconds=600)
    assert rate_limits.spend({"registrations:a": 1}, at=later(hours=1), window=HOUR).remaining == 0


def test_a_window_that_somebody_else_started_a_little_later_is_told_no_longer_than_it_is():
    rate_limits.spend({"calls:a": 10}, at=later(seconds=2))

    assert rate_limits.spend({"calls:a": 10}, at=NOON).reset_seconds == 60


@pytest.mark.parametrize("window", [timedelta(minutes=1), HOUR])
def test_a_window_from_before_the_clock_was_set_back_is_over(window):
    for _ in range(2):
        rate_limits.spend({"calls:a": 2}, at=later(days=1), window=window)

    usage = rate_limits.spend({"calls:a": 2}, at=NOON, window=window)

    assert usage.remaining == 1
    assert RateWindow.objects.get().expires_at == NOON + window


@pytest.mark.parametrize("window", [timedelta(minutes=1), HOUR])
def test_two_machines_whose_clocks_differ_by_seconds_share_a_window(window):
    ahead, behind = later(seconds=59), NOON
    for at in [ahead, behind]:
        rate_limits.spend({"calls:a": 2}, at=at, window=window)

    with pytest.raises(rate_limits.RateLimited):
        rate_limits.spend({"calls:a": 2}, at=behind, window=window)


def test_subjects_do_not_share_a_window():
    rate_limits.spend({"calls:a": 1}, at=NOON)

    assert rate_limits.spend({"calls:b": 1}, at=NOON).remaining == 0


def test_the_factor_scales_and_zero_switches_off(settings):
    settings.RATE_LIMIT_FACTOR = 2.5
    assert rate_limits.spend({"calls:a": 10}, at=NOON).limit == 25

    settings.RATE_LIMIT_FACTOR = 0
    assert rate_limits.spend({"calls:a": 10}, at=NOON) is None


def test_counting_costs_one_statement(django_assert_num_queries):
    with django_assert_num_queries(1):
        rate_limits.spend({"calls:a": 10, "creates:a": 10}, at=NOON)


@pytest.mark.parametrize("at", [NOON, later(microseconds=1234)])
def test_a_count_tells_what_the_row_holds(at):
    [first] = rate_limits.count(["calls:a"], at=at)
    [second] = rate_limits.count(["calls:a", "calls:a"], at=at)

    row = RateWindow.objects.get()
    assert (first.count, second.count, row.count) == (1, 2, 2)
    assert first.expires_at == second.expires_at == row.expires_at == at + timedelta(minutes=1)
    assert second.expires_at.utcoffset() == UTC.utcoffset(None)


def test_the_event_that_reaches_the_hold_starts_a_whole_window():
    for second in (0, 20, 40):
        [tally] = rate_limits.count(["failures:a"], at=later(seconds=second), hold_at=2)

    assert (tally.count, tally.expires_at) == (3, later(seconds=20 + 60))


def test_processes_at_once_lose_no_count(in_threads, settings):
    settings.RATE_LIMIT_FACTOR = 1

    in_threads(lambda _: rate_limits.spend({"calls:a": 100}, at=NOON), range(8))

    assert RateWindow.objects.get().count == 8


@pytest.mark.skipif("connection.vendor != 'postgresql'")
def test_counting_waits_for_no_disk():
    with connection.cursor() as cursor:
        cursor.execute("SELECT relpersistence FROM pg_class WHERE relname = 'banking_ratewindow'")

        assert cursor.fetchone() == ("u",)

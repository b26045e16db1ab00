"""Limits: counted per subject, tightest first, anew after a minute."""

from datetime import timedelta

import pytest

from onboarding.models import RateWindow
from onboarding.services import limits
from tests.factories import NOON, later

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _limits_on(settings):
    settings.RATE_LIMIT_FACTOR = 1


def test_what_is_left_is_that_of_the_tightest_limit():
    limits.spend({"calls:a": 10}, at=NOON)

    usage = limits.spend({"calls:a": 10, "creates:a": 3}, at=later(seconds=20))

    assert usage == limits.Usage(limit=3, remaining=2, reset_seconds=60)


def test_over_the_limit_is_refused_until_the_window_ends():
    for _ in range(2):
        limits.spend({"calls:a": 2}, at=NOON)

    with pytest.raises(limits.RateLimited) as refused:
        limits.spend({"calls:a": 2}, at=later(seconds=50))

    assert refused.value.usage == limits.Usage(limit=2, remaining=0, reset_seconds=10)
    assert limits.spend({"calls:a": 2}, at=later(seconds=60)).remaining == 1


def test_subjects_do_not_share_a_window():
    limits.spend({"calls:a": 1}, at=NOON)

    assert limits.spend({"calls:b": 1}, at=NOON).remaining == 0


def test_the_factor_scales_and_zero_switches_off(settings):
    settings.RATE_LIMIT_FACTOR = 2.5
    assert limits.spend({"calls:a": 10}, at=NOON).limit == 25

    settings.RATE_LIMIT_FACTOR = 0
    assert limits.spend({"calls:a": 10}, at=NOON) is None


def test_counting_costs_one_statement(django_assert_num_queries):
    with django_assert_num_queries(1):
        limits.spend({"calls:a": 10, "creates:a": 10}, at=NOON)


def test_the_tenth_failure_holds_the_address_for_a_minute():
    for second in range(10):
        limits.record_failure(address="192.0.2.1", access_key="ak", at=later(seconds=second * 5))

    held = limits.held_window(failures_by="192.0.2.1", at=later(seconds=100))

    assert held.get().expires_at == NOON + timedelta(seconds=45 + 60)
    with pytest.raises(limits.RateLimited):
        limits.record_failure(address="192.0.2.1", access_key="ak2", at=later(seconds=100))
    assert not limits.held_window(failures_by="192.0.2.1", at=later(seconds=106)).exists()


def test_no_subject_of_a_failure_is_stored_in_clear():
    limits.record_failure(address="192.0.2.1", access_key="ak_sb_1", at=NOON)

    subjects = " ".join(RateWindow.objects.values_list("subject", flat=True))
    assert "192.0.2.1" not in subjects
    assert "ak_sb_1" not in subjects


def test_processes_at_once_lose_no_count(in_threads, settings):
    settings.RATE_LIMIT_FACTOR = 1

    in_threads(lambda _: limits.spend({"calls:a": 100}, at=NOON), range(8))

    assert RateWindow.objects.get().count == 8

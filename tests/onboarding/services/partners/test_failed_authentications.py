"""Failed authentications: the tenth holds the address, and nobody is named in clear."""

from datetime import timedelta

import pytest

from banking.models import RateWindow
from foundation.throttling import rate_limits
from foundation.throttling.rate_limits import RateLimited, Usage
from onboarding.services.partners import failed_authentications
from tests.factories import NOON, later

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("limits_on")]


def test_the_tenth_failure_holds_the_address_for_a_minute():
    for second in range(10):
        failed_authentications.record_failure(
            address="192.0.2.1", access_key="ak", at=later(seconds=second * 5)
        )

    held = held_window(at=later(seconds=100))

    assert held.get().expires_at == NOON + timedelta(seconds=45 + 60)
    with pytest.raises(RateLimited):
        failed_authentications.record_failure(
            address="192.0.2.1", access_key="ak2", at=later(seconds=100)
        )
    assert not held_window(at=later(seconds=106)).exists()


def test_a_held_address_is_told_when_it_may_come_again():
    for _ in range(10):
        failed_authentications.record_failure(address="192.0.2.1", access_key="ak", at=NOON)

    with pytest.raises(RateLimited) as refused:
        failed_authentications.refuse_held("192.0.2.1", at=later(seconds=45))

    assert refused.value.usage == Usage(limit=10, remaining=0, reset_seconds=15)
    failed_authentications.refuse_held("192.0.2.2", at=later(seconds=45))


def test_an_address_that_was_held_before_the_clock_was_set_back_is_held_no_longer():
    for _ in range(10):
        failed_authentications.record_failure(
            address="192.0.2.1", access_key="ak", at=later(days=1)
        )

    failed_authentications.refuse_held("192.0.2.1", at=NOON)

    assert not held_window(at=NOON).exists()


def test_without_limits_no_failure_counts(settings):
    settings.RATE_LIMIT_FACTOR = 0

    assert (
        failed_authentications.record_failure(address="192.0.2.1", access_key="ak", at=NOON) is None
    )
    assert not RateWindow.objects.exists()


def test_a_failure_costs_one_statement(django_assert_num_queries):
    with django_assert_num_queries(1):
        failed_authentications.record_failure(address="192.0.2.1", access_key="ak", at=NOON)


def test_no_subject_of_a_failure_is_stored_in_clear():
    failed_authentications.record_failure(address="192.0.2.1", access_key="ak_sb_1", at=NOON)

    subjects = " ".join(RateWindow.objects.values_list("subject", flat=True))
    assert "192.0.2.1" not in subjects
    assert "ak_sb_1" not in subjects


def held_window(*, at):
    subject = failed_authentications.failures_of("192.0.2.1")
    return failed_authentications.held_window(
        subject=subject,
        hold_at=failed_authentications.hold_at(),
        at=at,
        latest=rate_limits.latest_end(at),
    )

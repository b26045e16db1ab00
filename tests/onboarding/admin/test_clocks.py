"""Clocks of a review as words."""

from datetime import timedelta

import pytest

from onboarding.admin.clocks import span


@pytest.mark.parametrize(
    ("passed", "text"),
    [
        (timedelta(minutes=40), "40 min"),
        (timedelta(hours=1, minutes=59), "1 business hour"),
        (timedelta(hours=15), "15 business hours"),
        (timedelta(hours=16), "2 business days"),
        (timedelta(hours=31), "3 business days"),
    ],
)
def test_a_span_is_in_words_and_a_day_has_eight_hours(passed, text):
    assert span(passed) == text

"""Clocks of a review as words."""

from datetime import timedelta

import pytest

from onboarding.admin.clocks import brief_span, span


@pytest.mark.parametrize(
    ("passed", "text", "brief"),
    [
        (timedelta(minutes=40), "40 min", "40 min"),
        (timedelta(hours=1, minutes=59), "1 business hour", "1 h"),
        (timedelta(hours=15), "15 business hours", "15 h"),
        (timedelta(hours=16), "2 business days", "2 d"),
        (timedelta(hours=31), "3 business days", "3 d"),
    ],
)
def test_a_span_is_in_words_and_a_day_has_eight_hours(passed, text, brief):
    assert span(passed) == text
    assert brief_span(passed) == brief

"""Business hours: weekdays nine to five in New York, whatever the clocks do."""

from datetime import UTC, datetime, timedelta

import pytest

from onboarding.business_hours import NEW_YORK, add_business_hours, business_hours_between


def new_york(text):
    return datetime.fromisoformat(text).replace(tzinfo=NEW_YORK)


@pytest.mark.parametrize(
    ("at", "hours", "expected"),
    [
        ("2026-03-02 10:00", 2, "2026-03-02 12:00"),  # a Monday
        ("2026-03-02 15:00", 2, "2026-03-02 17:00"),
        ("2026-03-02 16:00", 2, "2026-03-03 10:00"),
        ("2026-03-02 07:30", 2, "2026-03-02 11:00"),
        ("2026-03-02 19:00", 2, "2026-03-03 11:00"),
        ("2026-03-02 10:00", 8, "2026-03-03 10:00"),
        ("2026-03-02 10:00", 20, "2026-03-04 14:00"),
        ("2026-03-06 16:00", 2, "2026-03-09 10:00"),  # Friday, then clocks go forward
        ("2026-10-30 16:00", 8, "2026-11-02 16:00"),  # Friday, then clocks go back
        ("2026-03-07 12:00", 2, "2026-03-09 11:00"),  # a Saturday
        ("2026-11-25 16:00", 2, "2026-11-27 10:00"),  # Thanksgiving between
        ("2026-07-03 16:00", 2, "2026-07-06 10:00"),  # a holiday on a Saturday is kept on no day
        ("2027-07-02 16:00", 2, "2027-07-06 10:00"),  # on a Sunday, on Monday
        ("2026-12-31 16:30", 1, "2027-01-04 09:30"),
    ],
)
def test_hours_pass_while_the_bank_is_open(at, hours, expected):
    assert add_business_hours(new_york(at), hours) == new_york(expected)


def test_moments_are_answered_in_utc():
    answered = add_business_hours(new_york("2026-03-02 10:00"), 2)

    assert answered.tzinfo is UTC


@pytest.mark.parametrize(
    ("start", "end", "hours"),
    [
        ("2026-03-02 10:00", "2026-03-02 11:30", 1.5),
        ("2026-03-02 10:00", "2026-03-03 10:00", 8),
        ("2026-03-02 07:00", "2026-03-02 20:00", 8),
        ("2026-03-02 18:00", "2026-03-02 20:00", 0),
        ("2026-03-06 16:00", "2026-03-09 10:00", 2),
        ("2026-03-07 10:00", "2026-03-08 10:00", 0),
        ("2026-11-25 16:00", "2026-11-27 10:00", 2),
        ("2026-03-02 11:00", "2026-03-02 10:00", 0),
        ("2026-10-26 09:00", "2026-11-09 09:00", 80),
    ],
)
def test_only_hours_of_business_count(start, end, hours):
    passed = business_hours_between(new_york(start), new_york(end))

    assert passed == timedelta(hours=hours)


@pytest.mark.parametrize("hours", [0.5, 2, 8, 21])
def test_what_is_added_lies_between(hours):
    at = new_york("2026-10-30 13:20")

    assert business_hours_between(at, add_business_hours(at, hours)) == timedelta(hours=hours)

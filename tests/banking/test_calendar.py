"""Business days, held against the holiday schedules that the Federal Reserve Banks published."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from banking.calendar import add_business_days, is_business_day, next_business_day, sending_date

# frbservices.org, Holiday Schedules. A Saturday's holiday has no day off: Friday is open.
HOLIDAYS = {
    2022: "01-17 02-21 05-30 06-20 07-04 09-05 10-10 11-11 11-24 12-26",
    2023: "01-02 01-16 02-20 05-29 06-19 07-04 09-04 10-09 11-23 12-25",
    2025: "01-01 01-20 02-17 05-26 06-19 07-04 09-01 10-13 11-11 11-27 12-25",
    2026: "01-01 01-19 02-16 05-25 06-19 09-07 10-12 11-11 11-26 12-25",
    2027: "01-01 01-18 02-15 05-31 07-05 09-06 10-11 11-11 11-25",
}


@pytest.mark.parametrize("year", HOLIDAYS)
def test_the_weekdays_off_are_those_of_the_federal_reserve(year):
    days = [date(year, 1, 1) + timedelta(days=number) for number in range(365)]

    off = [f"{day:%m-%d}" for day in days if day.weekday() < 5 and not is_business_day(day)]

    assert off == HOLIDAYS[year].split()


@pytest.mark.parametrize("day", [date(2026, 7, 3), date(2021, 12, 31), date(2027, 12, 24)])
def test_the_friday_before_a_holiday_on_saturday_is_a_business_day(day):
    assert is_business_day(day)


@pytest.mark.parametrize("day", [date(2026, 3, 7), date(2026, 3, 8), date(2026, 7, 4)])
def test_weekends_are_no_business_days(day):
    assert not is_business_day(day)


@pytest.mark.parametrize(
    ("day", "count", "expected"),
    [
        (date(2026, 3, 2), 0, date(2026, 3, 2)),
        (date(2026, 3, 2), 2, date(2026, 3, 4)),
        (date(2026, 3, 6), 1, date(2026, 3, 9)),
        (date(2026, 3, 7), 0, date(2026, 3, 9)),
        (date(2026, 3, 7), 1, date(2026, 3, 10)),
        (date(2026, 11, 25), 1, date(2026, 11, 27)),  # over Thanksgiving
        (date(2026, 12, 31), 1, date(2027, 1, 4)),  # over New Year and a weekend
        (date(2022, 12, 30), 1, date(2023, 1, 3)),  # New Year on Sunday, kept on Monday
    ],
)
def test_business_days_are_added(day, count, expected):
    assert add_business_days(day, count) == expected


def test_a_business_day_is_its_own_next_one():
    assert next_business_day(date(2026, 3, 2)) == date(2026, 3, 2)
    assert next_business_day(date(2026, 1, 1)) == date(2026, 1, 2)


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        (datetime(2026, 3, 2, 19, 59, tzinfo=UTC), date(2026, 3, 2)),
        (datetime(2026, 3, 2, 20, 0, tzinfo=UTC), date(2026, 3, 3)),
        (datetime(2026, 3, 6, 20, 0, tzinfo=UTC), date(2026, 3, 9)),
        (datetime(2026, 3, 7, 9, 0, tzinfo=UTC), date(2026, 3, 9)),
        (datetime(2026, 3, 2, 16, tzinfo=timezone(timedelta(hours=-5))), date(2026, 3, 3)),
    ],
)
def test_a_payment_after_the_cutoff_leaves_the_next_business_day(at, expected):
    assert sending_date(at, cutoff_hour=20) == expected

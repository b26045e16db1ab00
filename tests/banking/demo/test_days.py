from datetime import UTC, date, datetime

from banking.demo.days import Days

MARCH = Days(date(2026, 3, 10), 4, has_quiet_beginning=True)


def test_the_quiet_beginning_is_half_as_long_again():
    assert MARCH.first_full == date(2025, 11, 1)
    assert MARCH.first == date(2025, 9, 1)
    assert Days(MARCH.until, 4).first == MARCH.first_full
    assert [MARCH.is_quiet(day) for day in (date(2025, 10, 31), date(2025, 11, 1))] == [True, False]


def test_eighteen_months_begin_more_than_two_years_ago():
    assert Days(date(2026, 11, 21), 18, has_quiet_beginning=True).first == date(2024, 8, 1)


def test_the_month_that_runs_counts_as_far_as_it_went():
    assert list(MARCH.firsts())[-1] == date(2026, 3, 1)
    assert len(MARCH.of_month(date(2026, 3, 1))) == 9
    assert len(MARCH.of_month(date(2026, 2, 1))) == 28


def test_nothing_has_happened_on_the_last_day():
    assert MARCH.end == datetime(2026, 3, 10, tzinfo=UTC)
    assert MARCH.is_past(date(2026, 3, 9))
    assert not MARCH.is_past(MARCH.until)


def test_on_the_first_of_a_month_that_month_has_not_begun():
    assert list(Days(date(2026, 3, 1), 1).firsts()) == [date(2026, 2, 1)]

"""Reach: the days, months and rows that it leaves."""

from datetime import date

import pytest

from banking.models import Statement
from banking.reach import EVERYTHING, Reach
from tests import factories

MARCH = (date(2026, 3, 1), date(2026, 3, 31))


@pytest.mark.parametrize(
    ("reach", "is_covered", "clipped"),
    [
        (EVERYTHING, True, MARCH),
        (Reach(first=date(2026, 3, 1), last=date(2026, 3, 31)), True, MARCH),
        (Reach(first=date(2026, 3, 2)), False, (date(2026, 3, 2), date(2026, 3, 31))),
        (Reach(last=date(2026, 3, 30)), False, (date(2026, 3, 1), date(2026, 3, 30))),
        (Reach(last=date(2026, 2, 1)), False, (date(2026, 3, 1), date(2026, 2, 1))),
    ],
)
def test_days_are_clipped(reach, is_covered, clipped):
    assert reach.covers(*MARCH) is is_covered
    assert reach.clip(*MARCH) == clipped


@pytest.mark.parametrize(
    ("reach", "months"),
    [
        (EVERYTHING, [11, 12, 1, 2]),
        (Reach(first=date(2025, 12, 1)), [12, 1, 2]),
        (Reach(first=date(2025, 12, 2)), [1, 2]),
        (Reach(last=date(2025, 12, 31)), [11, 12]),
        (Reach(last=date(2025, 12, 30)), [11]),
        (Reach(last=date(2026, 1, 31)), [11, 12, 1]),
        (Reach(accounts=frozenset()), []),
    ],
)
def test_a_statement_needs_its_whole_month(make_account, reach, months):
    account = make_account()
    for year, month in [(2025, 11), (2025, 12), (2026, 1), (2026, 2)]:
        factories.make_statement(account, year, month)

    found = Statement.objects.filter(reach.of_whole_months()).order_by("year", "month")

    assert [statement.month for statement in found] == months

"""What the screens that staff look at all day cost: their statements."""

from datetime import timedelta

import pytest
from django.utils import timezone

from onboarding.choices import ApplicationStatus as Status

LIST = "/admin/onboarding/application/"


@pytest.fixture
def cases(make_application, make_lead):
    """Return the paths of three cases that wait for a decision."""
    now = timezone.now()
    made = [
        make_application(
            make_lead(business_name=f"Business {number}"),
            status=Status.IN_REVIEW,
            review_began_at=now,
            due_at=now + timedelta(hours=number),
        )
        for number in range(3)
    ]
    return [f"{LIST}{case.pk}/change/" for case in made]


def test_the_home_page(cases, count_queries):
    assert count_queries("/admin/") == 18  # one counts the rows of all figures


def test_the_queue(cases, count_queries):
    assert count_queries(LIST) == 14  # staff of the filter by assignee, unread notifications
    assert count_queries(f"{LIST}?p=2") == 14


def test_the_report(cases, count_queries):
    assert count_queries(f"{LIST}report/") == 14  # the days, the reviews of all weeks, the denials


def test_a_case(cases, count_queries):
    # screening hits, related cases, questions, messages, verifications, notices, quality check
    assert count_queries(cases[0]) == 31

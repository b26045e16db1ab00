"""Open and closed customer cases per person and partner, and those that missed their deadline."""

from datetime import timedelta

import pytest

from onboarding.choices import CaseOutcome
from onboarding.models import CustomerCase
from onboarding.queries import customer_workload
from onboarding.services.customers import case_steps
from tests.factories import NOON
from tests.onboarding.cases import ada, make_reviewer
from tests.onboarding.customers import make_review, reload

__all__ = ["ada"]

pytestmark = pytest.mark.django_db
SINCE = NOON - timedelta(days=28)


def close(review, *, by, at):
    CustomerCase.objects.filter(pk=review.pk).update(claimed_by=by, claimed_until=at)
    review = reload(review)
    CustomerCase.objects.filter(pk=review.pk).update(claimed_until=at + timedelta(minutes=30))
    case_steps.decide(review, CaseOutcome.NO_CHANGE, reason="As before.", by=by, at=at)


def test_open_overdue_and_closed_cases_are_counted_per_person_and_partner(ada):
    bob = make_reviewer()
    first, second, third = (make_review(by=who) for who in (ada, ada, bob))
    late = second.due_at + timedelta(hours=1)
    close(first, by=ada, at=NOON)
    close(third, by=bob, at=third.due_at + timedelta(minutes=1))

    people, partners = customer_workload.count_cases(since=SINCE, at=late)

    found = [(one.key, one.open, one.overdue, one.closed, one.late) for one in people]
    assert found == [(ada.pk, 1, 1, 1, 0), (bob.pk, 0, 0, 1, 1)]
    assert [one.in_time_percent for one in people] == [100, 0]
    assert sum(one.open for one in partners) == 1
    assert sum(one.closed for one in partners) == 2


def test_cases_that_nobody_decided_are_no_work(ada):
    make_review(by=ada)
    CustomerCase.objects.update(
        status="CLOSED",
        outcome="CUSTOMER_CLOSED",
        closed_at=NOON,
        claimed_by=None,
        claimed_until=None,
    )

    assert customer_workload.count_cases(since=SINCE, at=NOON) == ([], [])


def test_missed_deadlines_are_listed(ada):
    waiting, closed = make_review(by=ada), make_review(by=ada)
    late = closed.due_at + timedelta(hours=1)
    close(closed, by=ada, at=late)

    assert list(customer_workload.list_overdue(at=NOON)) == []
    assert list(customer_workload.list_overdue(at=late)) == [waiting]
    assert list(customer_workload.list_late(since=SINCE)) == [closed]
    assert list(customer_workload.list_late(since=late + timedelta(days=1))) == []


def test_the_numbers_take_two_statements(ada, django_assert_num_queries):
    for _ in range(3):
        make_review(by=ada)

    with django_assert_num_queries(2):
        customer_workload.count_cases(since=SINCE, at=NOON)

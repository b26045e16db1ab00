"""What staff have to do: queues, moves, how much and how fast."""

from datetime import datetime, timedelta

from onboarding.business_hours import NEW_YORK
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import ProposalStatus
from onboarding.models import Application
from onboarding.queries import reviews as queries
from onboarding.queries.reviews import Day, Medians, Queue
from tests.factories import (
    NOON,
    later,
    make_proposal,
)
from tests.onboarding.cases import make_case
from tests.onboarding.hits import clear, make_hit, propose_clearing

LATER = later(minutes=5)


def found(queue, user, at=LATER):
    return set(queries.in_queue(queue, user=user, at=at))


def test_what_nobody_has_waits_unassigned(ada, bob):
    free, lapsed = make_case(), make_case(by=bob, at=later(minutes=-30))
    make_case(by=ada)
    make_case(Status.SUBMITTED)
    make_proposal(make_case())
    settled = make_case()
    make_proposal(settled, status=ProposalStatus.WITHDRAWN, settled_at=NOON)

    assert found(Queue.UNASSIGNED, ada) == {free, lapsed, settled}


def test_a_case_whose_assignee_was_deactivated_waits_unassigned(ada, bob):
    left, kept, claimed = make_case(), make_case(), make_case(by=ada)
    Application.objects.filter(pk__in=[left.pk, claimed.pk]).update(assignee=bob)
    Application.objects.filter(pk=kept.pk).update(assignee=ada)
    bob.is_active = False
    bob.save()

    assert found(Queue.UNASSIGNED, ada) == {left}
    assert queries.count_queues(user=ada, at=LATER)[Queue.UNASSIGNED] == 1


def test_what_one_has_is_mine_until_the_claim_lapses(ada, bob):
    mine = make_case(by=ada)
    make_case(by=bob)

    assert found(Queue.MINE, ada) == {mine}
    assert found(Queue.MINE, ada, at=later(minutes=30)) == set()


def test_second_approvals_are_listed_all_and_counted_of_others(ada, bob):
    mine, other = make_case(), make_case()
    make_proposal(mine, proposed_by=ada)
    make_proposal(other, proposed_by=bob)
    make_proposal(make_case(), status=ProposalStatus.VOIDED, settled_at=NOON)

    assert found(Queue.SECOND_APPROVAL, ada) == {mine, other}
    counts = queries.count_queues(user=ada, at=LATER)
    assert counts[Queue.SECOND_APPROVAL] == 1


def test_a_proposed_clearing_of_a_hit_awaits_a_second_person(ada, bob):
    customer = make_case(Status.APPROVED)
    propose_clearing(customer, make_hit(customer), by=ada)

    assert found(Queue.SECOND_APPROVAL, bob) == {customer}
    assert queries.count_queues(user=ada, at=LATER)[Queue.SECOND_APPROVAL] == 0
    assert queries.count_queues(user=bob, at=LATER)[Queue.SECOND_APPROVAL] == 1


def test_applicants_are_awaited(ada):
    awaited = {make_case(status) for status in (Status.DOCUMENTS_REQUIRED, Status.ID_VERIFICATION)}
    make_case()

    assert found(Queue.AWAITING_APPLICANT, ada) == awaited


def test_what_was_promised_before_now_is_overdue(ada):
    case = make_case()  # promised until two hours later
    decided = make_case(Status.APPROVED)
    Application.objects.filter(pk=decided.pk).update(due_at=None)

    assert found(Queue.OVERDUE, ada, at=later(hours=2)) == set()
    assert found(Queue.OVERDUE, ada, at=later(hours=2, seconds=1)) == {case}


def test_cases_and_customers_with_a_hit_that_is_not_cleared_wait_in_the_queue_of_hits(ada, bob):
    case, customer, cleared = (
        make_case(status) for status in [Status.IN_REVIEW, *["APPROVED"] * 2]
    )
    denied, gone = make_case(Status.DENIED), make_case()
    for one in (case, customer, cleared, denied):
        make_hit(one)
    make_hit(gone, is_current=False)
    clear(cleared, cleared.lead.screening_hits.get(), by=ada, second=bob)

    assert found(Queue.HITS, ada) == {case, customer}


def test_customers_with_new_hits_are_counted(db):
    make_case()
    assert queries.count_hit_alerts() == 0
    Application.objects.update(new_hit_at=NOON)
    assert queries.count_hit_alerts() == 1


def test_older_attempts_are_in_no_queue(ada):
    make_case(by=ada)
    make_case(Status.DOCUMENTS_REQUIRED)
    make_proposal(make_case())
    Application.objects.update(is_current=False)

    assert set(queries.count_queues(user=ada, at=later(hours=3)).values()) == {0}


def test_the_queues_are_counted_by_one_statement(ada, django_assert_num_queries):
    make_case(by=ada)
    ada.get_all_permissions()  # a page has read them

    with django_assert_num_queries(1):
        counts = queries.count_queues(user=ada, at=LATER)

    assert list(counts) == list(Queue)
    assert counts[Queue.MINE] == 1


def test_days_are_those_of_new_york(make_application):
    midnight = datetime(2026, 3, 2, tzinfo=NEW_YORK)
    minute = timedelta(minutes=1)
    for at in (midnight - minute, midnight, midnight + minute, midnight - timedelta(days=9)):
        make_application(submitted_at=at, decided_at=at + timedelta(days=1))

    flow = queries.daily_flow(days=3, at=later(days=1))

    days = [NOON.date() + timedelta(days=count) for count in (-1, 0, 1)]
    assert flow == [Day(days[0], 1, 0), Day(days[1], 2, 1), Day(days[2], 0, 2)]


def test_no_more_is_counted_than_is_shown(ada):
    for _ in range(3):
        make_case(by=ada)

    counts = queries.count_queues(user=ada, at=LATER, most=2)

    assert counts[Queue.MINE] == 2


def test_days_take_one_statement(db, django_assert_num_queries):
    with django_assert_num_queries(1):
        assert len(queries.daily_flow(days=14, at=NOON)) == 14


def test_medians_are_of_business_hours(make_application):
    nine = later(hours=2)  # in New York
    for touched, decided in ((1, 2), (2, 4), (2, 24)):
        make_application(
            review_began_at=nine,
            touched_at=nine + timedelta(hours=touched),
            decided_at=nine + timedelta(hours=decided),
        )
    make_application(review_began_at=nine, decided_at=nine + timedelta(hours=30))
    make_application(decided_at=nine)
    make_application(review_began_at=nine, touched_at=nine)

    medians = queries.median_times(since=NOON, at=later(days=3))

    assert medians == Medians(first_touch=timedelta(hours=2), decision=timedelta(hours=6))


def test_without_decisions_there_is_no_median(make_application):
    make_application(review_began_at=NOON, touched_at=NOON, decided_at=NOON)

    assert queries.median_times(since=later(hours=1), at=later(days=1)) == Medians(None, None)

"""Open and decided cases per person and partner, and how long the bank had them."""

from datetime import timedelta

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import Role
from onboarding.models import Application
from onboarding.queries import workload
from onboarding.services.applications import lifecycle
from onboarding.services.events.history import APPLICANT, CHECKS, Actor
from tests.factories import NOON, later
from tests.onboarding.cases import load, make_case, make_reviewer

STAFF = Actor(Role.REVIEWER, "x")
SINCE = NOON - timedelta(days=1)


def assign(case, user):
    Application.objects.filter(pk=case.pk).update(assignee=user)


def test_open_and_overdue_cases_are_counted_per_person(db):
    ada, bob = make_reviewer(), make_reviewer()
    for user in (ada, ada, bob):
        assign(make_case(), user)  # due two hours after NOON
    make_case(Status.DENIED)
    make_case(at=later(days=1))

    found, partners = workload.count_cases([], since=SINCE, at=later(hours=3))

    assert [(one.key, one.open, one.overdue) for one in found] == [
        (ada.pk, 2, 2),
        (None, 1, 0),
        (bob.pk, 1, 1),
    ]
    assert sum(one.open for one in partners) == 4
    assert sum(one.overdue for one in partners) == 3


def test_decisions_are_measured_by_the_time_in_the_hands_of_the_bank(db):
    ada = make_reviewer()
    case = make_case(Status.SUBMITTED)
    assign(case, ada)
    moves = [  # NOON is 7:00 in New York: two hours before the bank opens
        (Status.IN_REVIEW, CHECKS, 2),
        (Status.DOCUMENTS_REQUIRED, STAFF, 3),
        (Status.IN_REVIEW, APPLICANT, 5),
        (Status.DENIED, STAFF, 7),
    ]
    for target, actor, hours in moves:
        lifecycle.move(load(case), target, by=actor, at=later(hours=hours))

    [measured] = workload.measure_decided(since=SINCE)
    [mine], [partner] = workload.count_cases([measured], since=SINCE, at=later(hours=9))

    assert (mine.key, mine.decided, mine.returned) == (ada.pk, 1, 1)
    assert (measured.decision, mine.with_bank) == (timedelta(hours=2), timedelta(hours=3))
    assert mine.first_touch is None
    assert (mine.touched_in_time_percent, mine.decided_in_time_percent) == (None, 100)
    assert not measured.is_late
    assert (partner.key, partner.decided) == (case.lead.partner_id, 1)


def test_shares_say_how_many_steps_kept_their_deadlines():
    hours = [timedelta(hours=number) for number in (1, 2, 3, 8, 9)]
    mine = workload.Workload(None, touches=hours[:3], decisions=hours)

    assert (mine.touched_in_time_percent, mine.decided_in_time_percent) == (67, 80)


def test_overdue_cases_are_listed_the_longest_first(db):
    second, first = make_case(at=later(hours=1)), make_case()
    make_case(at=later(days=2))

    assert list(workload.list_overdue(at=later(days=1))) == [first, second]


def test_the_numbers_take_a_constant_number_of_statements(db, django_assert_num_queries):
    for _ in range(5):
        case = make_case(Status.DENIED)
        Application.objects.filter(pk=case.pk).update(decided_at=later(days=4))

    with django_assert_num_queries(4):
        measured = workload.measure_decided(since=SINCE)
        workload.count_cases(measured, since=SINCE, at=NOON)

    assert all(one.is_late for one in measured)

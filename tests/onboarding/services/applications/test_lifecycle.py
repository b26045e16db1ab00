"""The lifecycle: every pair of statuses, every role, and several roles_moving_to at once."""

import itertools

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import Role
from onboarding.event_types import EventType
from onboarding.models import Application, Event, Lead
from onboarding.services.applications import lifecycle
from onboarding.services.applications.lifecycle import InvalidMove
from onboarding.services.events.history import APPLICANT, CHECKS, PARTNER, Actor
from tests.factories import NOON, later

STAFF = Actor(Role.REVIEWER)
MOVES = """
CREATED            IN_PROGRESS         APPLICANT
CREATED            EXPIRED             CLOCK
CREATED            WITHDRAWN           APPLICANT PARTNER
IN_PROGRESS        SUBMITTED           APPLICANT
IN_PROGRESS        EXPIRED             CLOCK
IN_PROGRESS        WITHDRAWN           APPLICANT PARTNER
SUBMITTED          ID_VERIFICATION     CHECKS
SUBMITTED          DOCUMENTS_REQUIRED  CHECKS
SUBMITTED          IN_REVIEW           CHECKS
SUBMITTED          APPROVED            CHECKS
SUBMITTED          DENIED              CHECKS
SUBMITTED          WITHDRAWN           APPLICANT PARTNER
ID_VERIFICATION    SUBMITTED           APPLICANT PARTNER OWNER CHECKS
ID_VERIFICATION    IN_REVIEW           APPLICANT PARTNER OWNER CHECKS REVIEWER
ID_VERIFICATION    DOCUMENTS_REQUIRED  APPLICANT PARTNER OWNER CHECKS REVIEWER
ID_VERIFICATION    EXPIRED             CLOCK
ID_VERIFICATION    WITHDRAWN           APPLICANT PARTNER
DOCUMENTS_REQUIRED IN_REVIEW           APPLICANT PARTNER OWNER REVIEWER
DOCUMENTS_REQUIRED EXPIRED             CLOCK
DOCUMENTS_REQUIRED WITHDRAWN           APPLICANT PARTNER
IN_REVIEW          DOCUMENTS_REQUIRED  REVIEWER
IN_REVIEW          ID_VERIFICATION     REVIEWER
IN_REVIEW          APPROVED            REVIEWER
IN_REVIEW          APPROVED_TEMPORARY  REVIEWER
IN_REVIEW          DENIED              REVIEWER
IN_REVIEW          WITHDRAWN           APPLICANT PARTNER
APPROVED_TEMPORARY APPROVED            REVIEWER
APPROVED_TEMPORARY DENIED              REVIEWER CLOCK
"""
ALLOWED = {
    (source, target): set(roles)
    for source, target, *roles in (line.split() for line in MOVES.strip().splitlines())
}
PAIRS = list(itertools.product(Status, Status))


def events():
    return list(Event.objects.values_list("type", "previous_status", "status"))


def stored():
    """Return the status of the only application, and since when it has it."""
    return Application.objects.values_list("status", "status_changed_at").get()


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_whoever_may_not_move_it_changes_nothing(make_application, source, target):
    application = make_application(status=source)

    for role in set(Role) - ALLOWED.get((source, target), set()):
        with pytest.raises(InvalidMove):
            lifecycle.move(application, target, by=Actor(role), at=later(days=1))

        assert stored() == (source, NOON), role
        assert not Event.objects.exists(), role


@pytest.mark.parametrize(
    ("source", "target", "role"),
    [(*pair, role) for pair in ALLOWED for role in sorted(ALLOWED[pair])],
)
def test_whoever_may_move_it_does(make_application, source, target, role):
    application = make_application(status=source)

    lifecycle.move(application, Status(target), by=Actor(Role(role)), at=later(days=1))

    assert stored() == (target, later(days=1))


def test_a_move_is_written_down_in_the_same_transaction(make_application):
    application = make_application(status=Status.SUBMITTED, reminders_sent=2)

    lifecycle.move(application, Status.DOCUMENTS_REQUIRED, by=CHECKS, at=NOON, reason="blurred")

    assert events() == [("application.documents_required", "SUBMITTED", "DOCUMENTS_REQUIRED")]
    assert Event.objects.get().details == {"reason": "blurred"}
    assert Application.objects.get().reminders_sent == 0


@pytest.mark.parametrize(
    ("target", "event_types"),
    [
        (Status.SUBMITTED, [EventType.IDENTITY_COMPLETED]),
        (Status.IN_REVIEW, [EventType.IDENTITY_COMPLETED, EventType.IN_REVIEW]),
        (Status.DOCUMENTS_REQUIRED, [EventType.IDENTITY_COMPLETED, EventType.DOCUMENTS_REQUIRED]),
        (Status.WITHDRAWN, [EventType.WITHDRAWN]),
    ],
)
def test_an_answer_to_who_somebody_is_is_told_first(make_application, target, event_types):
    application = make_application(status=Status.ID_VERIFICATION)

    lifecycle.move(application, target, by=APPLICANT, at=NOON)

    assert [event_type for event_type, *_ in events()] == event_types


def test_whoever_read_the_application_before_somebody_moved_it_is_refused(make_application):
    application = make_application()
    stale = Application.objects.get()
    lifecycle.move(application, Status.WITHDRAWN, by=PARTNER, at=NOON)

    with pytest.raises(InvalidMove):
        lifecycle.move(stale, Status.IN_PROGRESS, by=APPLICANT, at=NOON)

    assert Application.objects.get().status == Status.WITHDRAWN


def test_an_attempt_that_is_over_is_not_moved(make_application):
    application = make_application(is_current=False)

    with pytest.raises(InvalidMove):
        lifecycle.move(application, Status.IN_PROGRESS, by=APPLICANT, at=NOON)


def test_a_move_takes_four_statements(make_application):
    application = make_application()

    with CaptureQueriesContext(connection) as captured:
        lifecycle.move(application, Status.IN_PROGRESS, by=APPLICANT, at=NOON)

    written = [query["sql"] for query in captured if "SAVEPOINT" not in query["sql"]]
    assert len(written) == 4, written


def test_a_decision_has_its_time_and_gives_the_case_back(make_application, make_user):
    claimed = {"claimed_by": make_user(), "claimed_until": later(days=1)}
    review = {"review_began_at": NOON, "touched_at": NOON, "due_at": later(hours=2)}
    application = make_application(status=Status.IN_REVIEW, **claimed, **review)

    lifecycle.move(application, Status.APPROVED_TEMPORARY, by=STAFF, at=later(hours=1))

    stored = Application.objects.get()
    assert (stored.decided_at, stored.due_at) == (later(hours=1), None)
    assert (stored.claimed_by, stored.claimed_until) == (None, None)
    assert (stored.review_began_at, stored.touched_at) == (NOON, NOON)


def test_what_follows_a_temporary_approval_was_no_review(make_application):
    review = {"review_began_at": NOON, "touched_at": NOON, "decided_at": NOON}
    application = make_application(status=Status.APPROVED_TEMPORARY, **review)

    lifecycle.move(application, Status.APPROVED, by=STAFF, at=later(days=20))

    stored = Application.objects.get()
    assert stored.decided_at == later(days=20)
    assert (stored.review_began_at, stored.touched_at) == (None, None)


def test_a_withdrawal_is_no_decision_and_gives_the_case_back(make_application, make_user):
    claimed = {"claimed_by": make_user(), "claimed_until": later(days=1)}
    application = make_application(status=Status.IN_REVIEW, due_at=NOON, **claimed)

    lifecycle.move(application, Status.WITHDRAWN, by=PARTNER, at=NOON)

    stored = Application.objects.get()
    assert (stored.claimed_by, stored.due_at, stored.decided_at) == (None, None, None)


def test_of_eight_movers_at_once_one_wins(in_threads, make_application):
    application = make_application(status=Status.IN_PROGRESS)
    targets = [Status.SUBMITTED, Status.WITHDRAWN] * 4

    def move(target):
        mine = Application.objects.select_related("lead").get(pk=application.pk)
        mine.status = Status.IN_PROGRESS  # as all eight had read it
        lifecycle.move(mine, target, by=APPLICANT, at=NOON)
        return target

    outcomes = in_threads(move, targets)

    winners = [outcome for outcome in outcomes if isinstance(outcome, Status)]
    assert [type(outcome) for outcome in outcomes].count(InvalidMove) == 7, outcomes
    assert Application.objects.get().status == winners[0]
    assert len(winners) == Event.objects.count() == Lead.objects.get().event_count == 1


def test_movers_of_different_roles_leave_no_gap(in_threads, make_application):
    application = make_application()

    def go_through(number):
        mine = Application.objects.select_related("lead").get(pk=application.pk)
        lifecycle.move(mine, Status.IN_PROGRESS, by=APPLICANT, at=later(minutes=number))
        lifecycle.move(mine, Status.SUBMITTED, by=APPLICANT, at=later(minutes=number))

    in_threads(go_through, range(8))

    assert list(Event.objects.values_list("number", "sequence")) == [(1, 1), (2, 2)]
    assert Lead.objects.get().last_sequence == 2

"""Assignments: a case is somebody's until it ends or is handed over."""

import pytest

from banking.choices import UserType
from onboarding.choices import ApplicationStatus as Status
from onboarding.event_types import EventType
from onboarding.models import Application, Event, Note
from onboarding.queries import audit
from onboarding.services.applications import lifecycle
from onboarding.services.events.history import APPLICANT
from onboarding.services.reviews import assignments, cases
from onboarding.services.reviews.assignments import NotAssignee, NotReviewer
from onboarding.services.reviews.cases import ClaimedByAnother, NotClaimable
from tests.factories import NOON, later, make_user
from tests.onboarding.cases import load, make_case, make_reviewer


@pytest.fixture
def ada(db):
    return make_reviewer()


@pytest.fixture
def bob(db):
    return make_reviewer()


@pytest.fixture
def case(ada):
    return make_case(by=ada)


def test_who_claims_a_case_of_nobody_is_its_assignee_also_after_the_claim(ada, bob):
    case = make_case()

    cases.claim(case, by=ada, at=NOON)
    cases.claim(load(case), by=bob, at=later(minutes=30))

    stored = load(case)
    assert (stored.claimed_by, stored.assignee) == (bob, ada)
    assert [event.details for event in Event.objects.order_by("number")] == [
        {"becomes": "assignee"},
        {},
    ]
    assert list(audit.find_faults()) == []


def test_an_assignee_keeps_the_case_while_the_applicant_answers(ada):
    case = make_case()
    cases.claim(case, by=ada, at=NOON)
    Application.objects.update(status=Status.DOCUMENTS_REQUIRED)

    lifecycle.move(load(case), Status.IN_REVIEW, by=APPLICANT, at=later(days=2))

    assert (load(case).assignee, load(case).returned_at) == (ada, later(days=2))


def test_an_answer_waits_until_the_assignee_takes_the_case_up(ada, bob):
    case = make_case()
    Application.objects.update(assignee=ada, returned_at=NOON)

    cases.claim(load(case), by=bob, at=NOON)
    assert load(case).returned_at == NOON
    cases.claim(load(case), by=ada, at=later(minutes=30))

    assert load(case).returned_at is None


def test_an_assignee_hands_the_case_over_with_a_note(ada, bob):
    case = make_case(by=ada)
    Application.objects.update(assignee=ada)

    assignments.reassign(load(case), to=bob, note=" The bank letter is fine. ", by=ada, at=NOON)

    stored, note = load(case), Note.objects.get()
    assert (stored.assignee, stored.claimed_by) == (bob, bob)
    assert (note.text, note.by, note.is_for_applicant) == ("The bank letter is fine.", ada, False)
    noted, handed = Event.objects.order_by("number")
    assert noted.type == EventType.NOTED
    assert handed.details == {
        "to": str(bob.external_id),
        "from": str(ada.external_id),
        "note_id": str(note.external_id),
    }


def test_a_case_of_somebody_else_is_handed_over_by_who_may(ada, bob):
    case = make_case()
    Application.objects.update(assignee=bob)

    with pytest.raises(NotAssignee):
        assignments.reassign(load(case), to=ada, by=ada, at=NOON)

    assert load(case).assignee == bob


def test_an_assignee_takes_no_claim_away(ada, bob):
    case = make_case(by=bob)
    Application.objects.update(assignee=ada)

    with pytest.raises(ClaimedByAnother):
        assignments.reassign(load(case), to=make_reviewer(), by=ada, at=NOON)


def test_a_case_is_handed_to_somebody_else(case, ada, bob):
    chief = make_reviewer("reassign_application")

    assignments.reassign(case, to=bob, by=chief, at=later(minutes=5))

    application = Application.objects.get()
    assert (application.claimed_by, application.claimed_until) == (bob, later(minutes=35))
    event = Event.objects.get()
    assert (event.type, event.who) == (EventType.REASSIGNED, str(chief.external_id))
    assert event.details == {"to": str(bob.external_id)}


def test_handing_a_case_on_is_no_touch(bob):
    case = make_case()
    chief = make_reviewer("reassign_application")

    assignments.reassign(case, to=bob, by=chief, at=later(minutes=5))

    handed = load(case)
    assert (handed.touched_at, handed.due_at) == (None, case.due_at)
    cases.verify_identities(case, by=bob, at=later(minutes=9))
    assert load(case).touched_at == later(minutes=9)


@pytest.mark.parametrize(
    "values", [{"is_active": False}, {"user_type": UserType.BUSINESS}, {"may_review": False}]
)
def test_cases_are_handed_to_active_reviewers_only(case, ada, values):
    may_review = values.pop("may_review", True)
    to = make_reviewer() if may_review else make_user(user_type=UserType.STAFF)
    for name, value in values.items():
        setattr(to, name, value)
    to.save()

    with pytest.raises(NotReviewer):
        assignments.reassign(case, to=to, by=ada, at=NOON)

    assert Application.objects.get().claimed_by == ada


def test_what_is_over_is_not_handed_on(ada):
    with pytest.raises(NotClaimable):
        assignments.reassign(make_case(Status.APPROVED), to=ada, by=ada, at=NOON)

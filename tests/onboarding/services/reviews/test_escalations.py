"""Escalations: a question to a colleague or the approvers, and the way back with the answer."""

import pytest

from onboarding.event_types import EventType
from onboarding.models import Application, Escalation, Event
from onboarding.queries import audit
from onboarding.services.reviews import cases, escalations
from onboarding.services.reviews.cases import Incomplete, NotClaimed
from onboarding.services.reviews.escalations import (
    AlreadyAnswered,
    EscalationOpen,
    NotAsked,
    NotToAsk,
)
from tests.factories import NOON, later, make_user
from tests.onboarding.cases import STEPS, load, make_case, make_reviewer


@pytest.fixture
def ada(db):
    return make_reviewer()


@pytest.fixture
def bob(db):
    return make_reviewer()


@pytest.fixture
def case(ada):
    made = make_case(by=ada)
    Application.objects.update(assignee=ada)
    return load(made)


def ask(case, *, to, by, question="Is this the same person?", at=NOON):
    return escalations.escalate(case, to=to, question=question, by=by, at=at)


def test_a_question_leaves_the_case_with_its_assignee_and_ends_the_claim(case, ada, bob):
    escalation = ask(case, to=bob, by=ada, question=" Is this the same person? ")

    stored = load(case)
    assert (stored.assignee, stored.claimed_by, stored.claimed_until) == (ada, None, None)
    assert (escalation.to, escalation.question) == (bob, "Is this the same person?")
    event = Event.objects.get()
    assert (event.type, event.who) == (EventType.ESCALATED, str(ada.external_id))
    assert event.details == {
        "to": str(bob.external_id),
        "escalation_id": str(escalation.external_id),
    }
    assert list(audit.find_faults()) == []


def test_the_answer_returns_the_case(case, ada, bob):
    escalation = ask(case, to=bob, by=ada)
    cases.claim(load(case), by=bob, at=later(minutes=5))

    escalations.answer(escalation, text=" Yes. ", by=bob, at=later(minutes=9))

    stored, answered = load(case), Escalation.objects.get()
    assert (stored.assignee, stored.claimed_by, stored.returned_at) == (ada, None, later(minutes=9))
    assert (answered.answer, answered.answered_by, answered.answered_at) == (
        "Yes.",
        bob,
        later(minutes=9),
    )
    event = Event.objects.order_by("-number").first()
    assert (event.type, event.who) == (EventType.ESCALATION_ANSWERED, str(bob.external_id))


def test_any_approver_answers_a_question_to_the_approvers(case, ada):
    approver = make_reviewer(*STEPS)
    escalation = ask(case, to=None, by=ada)

    escalations.answer(escalation, text="Deny it.", by=approver, at=NOON)

    assert Event.objects.get(type=EventType.ESCALATED).details["to"] == "APPROVERS"
    assert Escalation.objects.get().answered_by == approver


def test_who_asked_withdraws_the_question_by_an_answer(case, ada, bob):
    escalations.answer(ask(case, to=bob, by=ada), text="Found it.", by=ada, at=NOON)

    assert load(case).returned_at is None


def test_a_reviewer_who_was_not_asked_does_not_answer(case, ada, bob):
    escalation = ask(case, to=bob, by=ada)

    with pytest.raises(NotAsked):
        escalations.answer(escalation, text="Yes.", by=make_reviewer(), at=NOON)


def test_a_question_is_answered_once(case, ada, bob):
    escalation = ask(case, to=bob, by=ada)
    escalations.answer(escalation, text="Yes.", by=bob, at=NOON)

    with pytest.raises(AlreadyAnswered):
        escalations.answer(escalation, text="No.", by=bob, at=NOON)

    assert Escalation.objects.get().answer == "Yes."


def test_of_several_answers_at_once_one_counts(case, ada, bob, in_threads):
    escalation = ask(case, to=bob, by=ada)

    def answer(text):
        return escalations.answer(escalation, text=text, by=bob, at=NOON)

    outcomes = in_threads(answer, ["Yes.", "No.", "Maybe."])

    assert sum(isinstance(one, AlreadyAnswered) for one in outcomes) == 2, outcomes


def test_there_is_one_open_question_about_a_case(case, ada, bob):
    ask(case, to=bob, by=ada)
    cases.claim(load(case), by=ada, at=NOON)

    with pytest.raises(EscalationOpen):
        ask(load(case), to=None, by=ada)


def test_only_another_reviewer_can_be_asked(case, ada):
    for to in (ada, make_user(user_type="STAFF")):
        with pytest.raises(NotToAsk):
            ask(case, to=to, by=ada)


def test_words_are_needed(case, ada, bob):
    with pytest.raises(Incomplete):
        ask(case, to=bob, by=ada, question=" ")
    escalation = ask(case, to=bob, by=ada)
    with pytest.raises(Incomplete):
        escalations.answer(escalation, text=" ", by=bob, at=NOON)


def test_who_has_not_claimed_the_case_does_not_escalate_it(case, bob):
    with pytest.raises(NotClaimed):
        ask(case, to=None, by=bob)

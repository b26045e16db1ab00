"""Questions of staff that wait for an answer, by the person who may give it."""

import pytest
from django.db import IntegrityError

from onboarding.models import Escalation
from onboarding.queries import escalations as queries
from onboarding.queries import reviews
from onboarding.queries.reviews import Queue
from tests.factories import NOON, later
from tests.onboarding.cases import make_case, make_reviewer


def ask(by, to=None, **values):
    values = {"question": "Same person?", "asked_at": NOON, **values}
    return Escalation.objects.create(application=make_case(), asked_by=by, to=to, **values)


def test_a_person_has_the_questions_to_them_and_approvers_those_to_any_approver(ada, bob):
    reviewer = make_reviewer()
    to_reviewer, to_any, to_ada = ask(bob, reviewer), ask(bob), ask(reviewer, ada)
    ask(bob, ada, answer="Yes.", answered_by=ada, answered_at=NOON)

    assert set(queries.list_asked(ada)) == {to_any, to_ada}
    assert set(queries.list_asked(reviewer)) == {to_reviewer}
    assert set(queries.list_asked(bob)) == set()  # who asked it
    queue = reviews.in_queue(Queue.ESCALATED, user=ada, at=later(minutes=5))
    assert set(queue) == {to_any.application, to_ada.application}


def test_the_open_question_of_a_case_is_found(ada, bob):
    escalation = ask(ada, bob)

    assert queries.find_open(escalation.application) == escalation
    assert queries.find_open(make_case()) is None


def test_who_was_asked_who_asked_and_approvers_may_answer(ada, bob):
    asker, asked = make_reviewer(), make_reviewer()
    escalation = ask(asker, asked)

    may = [
        one
        for one in (asker, asked, ada, make_reviewer())
        if queries.may_answer(escalation, by=one)
    ]

    assert may == [asker, asked, ada]


def test_whoever_is_listed_a_question_to_any_approver_may_answer_it(ada):
    escalation = ask(ada)
    users = [make_reviewer(name) for name in ("confirm_application", "reassign_application")]

    listed = [user for user in users if queries.list_asked(user).exists()]
    may = [user for user in users if queries.may_answer(escalation, by=user)]

    assert listed == may == users[:1]


def test_the_database_refuses_half_an_answer_and_a_second_open_question(ada, bob):
    escalation = ask(ada, bob)

    with pytest.raises(IntegrityError):
        Escalation.objects.create(
            application=escalation.application, asked_by=ada, question="Why?", asked_at=NOON
        )

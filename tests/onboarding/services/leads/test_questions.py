"""Questions that are answered after the submission."""

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import Supplier
from onboarding.event_types import EventType
from onboarding.models import Application, Event, Lead
from onboarding.services.applications.attempts import ApplicationClosed, CustomerAlreadyOnboarded
from onboarding.services.leads import questions
from tests.factories import NOON, make_application, make_lead

ASKED = [
    {"question": "Source of funds?", "question_id": "q1", "answer": ""},
    {"question": "Monthly volume?"},
    {"question": "Employees?", "answer": "4"},
]


@pytest.fixture
def application(db):
    return make_application(make_lead(edd_answers=ASKED), status=Status.IN_REVIEW)


def answer(application, **values):
    stored = Application.objects.get(pk=application.pk)
    questions.answer_questions(stored, values, at=NOON)
    return {one["question"]: one.get("answer", "") for one in Lead.objects.get().edd_answers}


def test_an_answer_is_kept_with_its_question_and_written_down(application):
    given = answer(application, **{"Source of funds?": "Sales"})

    assert given == {"Source of funds?": "Sales", "Monthly volume?": "", "Employees?": "4"}
    assert Lead.objects.get().edd_answers[0]["question_id"] == "q1"
    assert Lead.objects.get().supplied_by == {"edd_answers": Supplier.APPLICANT}
    event = Event.objects.get()
    assert (event.type, event.details) == (EventType.CHANGED, {"changed": ["eddQuestionData"]})


@pytest.mark.parametrize(
    "values", [{}, {"Source of funds?": ""}, {"Employees?": "5"}, {"Shoe size?": "42"}]
)
def test_blank_and_late_and_unasked_answers_change_nothing(application, values):
    given = answer(application, **values)

    assert given == {"Source of funds?": "", "Monthly volume?": "", "Employees?": "4"}
    assert not Event.objects.exists()


@pytest.mark.parametrize(
    ("status", "why"),
    [
        (Status.APPROVED, "already has an account"),
        (Status.DENIED, "denied on 2026-03-02"),
        (Status.EXPIRED, "expired on 2026-03-02"),
        (Status.WITHDRAWN, "withdrawn on 2026-03-02"),
    ],
)
def test_nothing_is_answered_once_nothing_is_wanted(application, status, why):
    Application.objects.update(status=status, status_changed_at=NOON)

    with pytest.raises((ApplicationClosed, CustomerAlreadyOnboarded)) as refused:
        answer(application, **{"Source of funds?": "Sales"})

    assert why in refused.value.faults[0].text()


def test_of_several_answers_at_once_the_first_stays(in_threads):
    application = make_application(make_lead(edd_answers=ASKED), status=Status.SUBMITTED)

    outcomes = in_threads(
        lambda number: answer(application, **{"Monthly volume?": f"${number}"}), range(8)
    )

    assert not [one for one in outcomes if isinstance(one, Exception)]
    assert Event.objects.count() == Lead.objects.get().event_count == 1

"""Messages between staff and the applicant, and the queue of answers."""

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.event_types import EventType
from onboarding.models import Event, Mail
from onboarding.queries import reviews
from onboarding.queries.messages import MAX_REPLIES
from onboarding.queries.reviews import Queue
from onboarding.services.reviews import messages
from onboarding.services.reviews.cases import Incomplete
from tests.factories import NOON, later


@pytest.fixture
def ada(make_user):
    return make_user(user_type="STAFF")


@pytest.fixture
def case(make_application):
    return make_application(status=Status.IN_REVIEW, submitted_at=NOON)


def answered(user):
    return list(reviews.in_queue(Queue.ANSWERED, user=user, at=later(days=1)))


def test_a_message_is_mailed_and_an_answer_puts_the_case_into_its_queue(case, ada):
    messages.send_message(case, "Which floor is it?", by=ada, at=NOON)

    reply = messages.add_reply(case, "  The <b>third</b>. ", at=later(hours=1))

    assert Mail.objects.get().kind == "MESSAGE"
    assert reply.text == "The <b>third</b>."
    assert answered(ada) == [case]
    event = Event.objects.get(type=EventType.MESSAGE_ANSWERED)
    assert (event.role, event.details) == ("APPLICANT", {"reply_id": str(reply.external_id)})


def test_the_next_message_or_reading_the_answer_takes_the_case_out(case, ada):
    messages.send_message(case, "Which floor is it?", by=ada, at=NOON)
    messages.add_reply(case, "The third.", at=later(hours=1))
    messages.send_message(case, "Thank you.", by=ada, at=later(hours=2))
    assert answered(ada) == []

    messages.add_reply(case, "You are welcome.", at=later(hours=3))
    messages.mark_read(case, by=ada, at=later(hours=4))

    assert answered(ada) == []
    assert Event.objects.filter(type=EventType.ANSWER_READ).count() == 1
    with pytest.raises(messages.NothingToRead):
        messages.mark_read(case, by=ada, at=later(hours=5))


def test_without_a_message_or_a_text_nothing_is_answered(case, ada):
    with pytest.raises(messages.NotAnswerable):
        messages.add_reply(case, "Hello?", at=NOON)

    messages.send_message(case, "Which floor is it?", by=ada, at=NOON)
    with pytest.raises(messages.NotAnswerable):
        messages.add_reply(case, "   ", at=later(hours=1))
    with pytest.raises(Incomplete):
        messages.send_message(case, " ", by=ada, at=NOON)


def test_answers_are_bounded_in_number_and_length(case, ada):
    messages.send_message(case, "Which floor is it?", by=ada, at=NOON)
    for number in range(MAX_REPLIES):
        messages.add_reply(case, "x" * 5000, at=later(hours=number))

    with pytest.raises(messages.NotAnswerable):
        messages.add_reply(case, "One more", at=later(days=1))

    assert {len(one.text) for one in case.replies.all()} == {messages.LONGEST_REPLY}

"""Messages: what the bank has written to an applicant, and says of a denial."""

from onboarding.choices import DenialReason
from onboarding.event_types import EventType
from onboarding.queries.messages import (
    MAX_REPLIES,
    can_reply,
    explain_denial,
    get_message,
    list_messages,
)
from tests.factories import later, make_event, make_note


def test_notes_to_the_applicant_are_read_the_newest_first(make_application):
    application = make_application()
    for text, minutes in (("First.", 0), ("Third.", 2), ("Second.", 1)):
        make_note(application, text=text, is_for_applicant=True, at=later(minutes=minutes))
    make_note(application, text="For staff.")
    make_note(text="For somebody else.", is_for_applicant=True)

    assert [note.text for note in list_messages(application)] == ["Third.", "Second.", "First."]


def test_the_message_of_a_moment_is_the_newest_until_then(make_application):
    application = make_application()
    first = make_note(application, is_for_applicant=True)
    make_note(application, is_for_applicant=True, at=later(minutes=1))

    assert get_message(application, at=later(seconds=59)) == first
    assert get_message(application, at=later(seconds=-1)) is None


def test_a_message_can_be_answered_ten_times_and_the_next_one_again(make_application):
    application = make_application()
    assert not can_reply(application)

    make_note(application, is_for_applicant=True)
    for minutes in range(MAX_REPLIES):
        assert can_reply(application)
        application.replies.create(text="The third.", at=later(minutes=minutes))

    assert not can_reply(application)
    make_note(application, is_for_applicant=True, at=later(minutes=MAX_REPLIES))
    assert can_reply(application)
    application.is_current = False
    assert not can_reply(application)


def test_a_denial_is_explained_by_its_reasons_unless_staff_wrote_something(make_application):
    application = make_application()
    assert explain_denial(application) == ""

    codes = ["NOT_VERIFIED", "NOT_ELIGIBLE"]
    make_event(application, EventType.DENIED, reason_codes=["DOCUMENTS_OVERDUE"])
    make_event(application, EventType.DENIED, reason_codes=codes)
    texts = [DenialReason(code).applicant_text for code in codes]
    assert explain_denial(application) == "\n\n".join(texts)

    application.applicant_text = "We do not serve casinos."
    assert explain_denial(application) == "We do not serve casinos."

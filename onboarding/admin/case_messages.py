"""Messages with the applicant: the thread on the case page, and the form of a new message."""

from dataclasses import dataclass
from datetime import datetime

from onboarding.admin.case_forms import TemplatedForm, text_field
from onboarding.admin.staff_names import name_of
from onboarding.queries.message_templates import list_messages_of_templates


@dataclass(frozen=True)
class Entry:
    """A message of the bank or an answer of the applicant."""

    who: str
    text: str
    at: datetime
    is_reply: bool


class MessageForm(TemplatedForm):
    """Form for a message to the applicant: a template's text, or a text in own words."""

    text = text_field(
        "Message",
        rows=4,
        required=False,
        help_text="Sent by email and shown on the status page.",
    )

    lacks = "Enter a message or choose a template."
    list_templates = staticmethod(list_messages_of_templates)


def thread_of(application, notes):
    """Return the messages among the notes of a case, and the answers, oldest first."""
    sent = [
        Entry(name_of(note.by), note.text, note.at, is_reply=False)
        for note in notes
        if note.is_for_applicant
    ]
    answers = [Entry("The applicant", one.text, one.at, True) for one in application.replies.all()]
    return sorted([*sent, *answers], key=lambda entry: entry.at)

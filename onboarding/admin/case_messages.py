"""Messages with the applicant: the thread on the case page, and the form of a new message."""

from dataclasses import dataclass
from datetime import datetime

from django import forms

from onboarding.admin.case_forms import StepForm, limit, text_field
from onboarding.admin.staff_names import name_of
from onboarding.queries.message_templates import list_messages_of_templates


@dataclass(frozen=True)
class Entry:
    """A message of the bank or an answer of the applicant."""

    who: str
    text: str
    at: datetime
    is_reply: bool


class TemplatesWidget(forms.RadioSelect):
    """Choice of a template, each with its text for this applicant."""

    texts: dict[str, str] = {}

    def create_option(self, name, value, *args, **options):
        option = super().create_option(name, value, *args, **options)
        option["attrs"]["data-text"] = self.texts.get(str(value), "")
        return option


class MessageForm(StepForm):
    """Form for a message to the applicant: a template's text, or another."""

    template = forms.ChoiceField(label="Template", widget=TemplatesWidget, required=False)
    text = text_field(
        "Message",
        rows=4,
        required=False,
        help_text="Sent by email and shown on the status page.",
    )

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        found = list_messages_of_templates(self.application)
        self.texts = {str(template.pk): text for template, text in found}
        offered = [("", "None"), *((str(one.pk), one.name) for one, _ in found)]
        limit(self, "template", choices=offered)
        self.fields["template"].widget.texts = self.texts
        if found:
            self.fields["text"].widget.attrs["data-filled-by"] = "template"
            self.fields["text"].help_text += " Empty: the text of the template."
        else:
            del self.fields["template"]

    def clean(self):
        said = super().clean()
        text = said.get("text") or self.texts.get(said.pop("template", ""), "")
        if not text and not self.errors:
            self.add_error("text", "Enter a message or choose a template.")
        return {"text": text}


def thread_of(application, notes):
    """Return the messages among the notes of a case, and the answers, oldest first."""
    sent = [
        Entry(name_of(note.by), note.text, note.at, is_reply=False)
        for note in notes
        if note.is_for_applicant
    ]
    answers = [Entry("The applicant", one.text, one.at, True) for one in application.replies.all()]
    return sorted([*sent, *answers], key=lambda entry: entry.at)

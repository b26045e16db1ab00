"""The form of the status page: answers to questions, and an answer to the bank's messages."""

import hashlib
from collections.abc import Iterable
from typing import Any

from django import forms
from django.forms import BoundField
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from onboarding.services.reviews.messages import LONGEST_REPLY

LONGEST_ANSWER = 255  # as in the API
REPLY = "reply"  # the field for an answer to the bank's messages, and the button that sends it


class ReplyField(forms.CharField):
    """A text whose line ends count as one character each, as in the browser."""

    def to_python(self, value: Any) -> str:
        """Return the text without carriage returns."""
        return str(super().to_python(value)).replace("\r\n", "\n")


class AnswersForm(forms.Form):
    """A field for each question, named after the question: questions may be added or removed.

    REPLY is a field of its own, if the bank has written. Its faults are shown once the applicant
    has sent the reply: `is_reply_sent`.
    """

    use_required_attribute = False

    def __init__(
        self,
        questions: Iterable[str],
        data: QueryDict | None = None,
        *,
        has_reply: bool = False,
        can_reply: bool = True,
        is_reply_sent: bool = False,
    ) -> None:
        super().__init__(data, label_suffix="")
        self._questions = {name_of(question): question for question in questions}
        self._can_reply, self._is_reply_sent = can_reply, is_reply_sent
        for name, question in self._questions.items():
            self.fields[name] = forms.CharField(
                label=question,
                max_length=LONGEST_ANSWER,
                required=False,
                widget=forms.Textarea(attrs={"rows": 2}),
            )
        if has_reply:
            self.fields[REPLY] = ReplyField(
                label=_("Your answer"),
                max_length=LONGEST_REPLY,
                required=is_reply_sent,
                error_messages={"required": _("Write your answer.")},
                widget=forms.Textarea(attrs={"rows": 4}),
            )
            self.fields[REPLY].is_conditional = True  # type: ignore[attr-defined]  # it is not called optional

    def clean_reply(self) -> str:
        """Refuse a reply that was sent although the bank's last message takes no further reply."""
        if self._is_reply_sent and not self._can_reply:
            raise forms.ValidationError(
                _(
                    "We cannot take another answer to this message. We have kept your text here. "
                    "Send it after our next message."
                )
            )
        return str(self.cleaned_data[REPLY])

    @property
    def questions(self) -> list[BoundField]:
        """Return the fields of the questions."""
        return [self[name] for name in self._questions]

    @property
    def reply(self) -> BoundField:
        """Return the field for an answer to the bank's messages; only with `has_reply`."""
        return self[REPLY]

    @property
    def answers(self) -> dict[str, str]:
        """Return the answers by question."""
        return {question: self.cleaned_data[name] for name, question in self._questions.items()}


def name_of(question: str) -> str:
    """Return the name of a question's field."""
    return f"answer_{hashlib.sha256(question.encode()).hexdigest()[:12]}"

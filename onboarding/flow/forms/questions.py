"""The form for answers to questions asked after the submission."""

import hashlib
from collections.abc import Iterable

from django import forms
from django.http import QueryDict

LONGEST_ANSWER = 255  # as in the API


class AnswersForm(forms.Form):
    """A field for each question, named after the question: questions may be added or removed."""

    use_required_attribute = False

    def __init__(self, questions: Iterable[str], data: QueryDict | None = None) -> None:
        super().__init__(data, label_suffix="")
        self._questions = {name_of(question): question for question in questions}
        for name, question in self._questions.items():
            self.fields[name] = forms.CharField(
                label=question,
                max_length=LONGEST_ANSWER,
                required=False,
                widget=forms.Textarea(attrs={"rows": 2}),
            )

    @property
    def answers(self) -> dict[str, str]:
        """Return the answers by question."""
        return {question: self.cleaned_data[name] for name, question in self._questions.items()}


def name_of(question: str) -> str:
    """Return the name of a question's field."""
    return f"answer_{hashlib.sha256(question.encode()).hexdigest()[:12]}"

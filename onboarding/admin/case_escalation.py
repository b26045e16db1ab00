"""Escalation of a case: the questions with their answers, and the forms to ask and to answer."""

from django import forms

from banking.models import User
from onboarding.admin.case_forms import StaffField, StepForm, limit, text_field
from onboarding.admin.staff_names import name_of
from onboarding.models import Escalation
from onboarding.queries.escalations import open_escalations
from onboarding.queries.staff import list_reviewers

ANY_APPROVER = "Any approver"


class EscalateForm(StepForm):
    """Form to escalate a case: the colleague, None for any approver, and the question."""

    to = StaffField(User.objects.none(), label="To", required=False, empty_label=ANY_APPROVER)
    question = text_field("Question", help_text="For staff and auditors only.")

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        others = list_reviewers()
        if self.application:  # who claimed the case is who asks
            others = others.exclude(pk=self.application.claimed_by_id)
        limit(self, "to", queryset=others)


class AnswerForm(StepForm):
    """Form for an answer, with the id of the question that the page shows."""

    escalation = forms.ModelChoiceField(Escalation.objects.none(), widget=forms.HiddenInput)
    text = text_field("Answer", help_text="For staff and auditors only.")

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        limit(self, "escalation", queryset=self.application.escalations.all())
        waiting = open_escalations().filter(application=self.application)
        self.initial["escalation"] = waiting.values_list("pk", flat=True).first()


def escalations_of(application):
    """Return the questions about a case, the newest first, with names.

    The names are of the `asker`, of the colleague asked in `to`, and of the `answerer`, None while
    nobody has answered.
    """
    asked = application.escalations.select_related("to", "asked_by", "answered_by")
    return [
        {
            "escalation": one,
            "asker": name_of(one.asked_by),
            "to": name_of(one.to) if one.to else ANY_APPROVER.lower(),
            "answerer": one.answered_by and name_of(one.answered_by),
        }
        for one in asked
    ]

"""Forms of the steps that staff take in customer cases."""

from django import forms

from onboarding.admin.case_forms import StepForm, limit, text_field
from onboarding.choices import ChangeDenialReason, Risk
from onboarding.services.customers import case_steps


class CloseReviewForm(StepForm):
    """Form for the outcome of a review."""

    outcome = forms.ChoiceField(widget=forms.RadioSelect)
    new_risk = forms.ChoiceField(
        label="New risk", choices=[("", "As it is"), *Risk.choices], required=False
    )
    is_for_partner = forms.BooleanField(
        label="Tell the partner of a restriction",
        required=False,
        help_text="Never tick it where a hit or a suspicion is the reason.",
    )
    reason = text_field("Reason", help_text="For staff and auditors only.")

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        offered = case_steps.list_outcomes(self.application)
        limit(self, "outcome", choices=[(one.value, one.label) for one in offered])


class ReasonForm(StepForm):
    """Form for the reason of a decision."""

    reason = text_field("Reason", help_text="For staff and auditors only.")


class DenyChangeForm(ReasonForm):
    """Form for the denial of a requested change."""

    field_order = ["denial_reason", "reason"]
    denial_reason = forms.ChoiceField(
        label="Reason for the partner", choices=ChangeDenialReason.choices
    )


class RefuseOutcomeForm(StepForm):
    """Form for the refusal of a proposed outcome."""

    note = text_field("Reason", help_text="For staff and auditors only.")

"""Form fields of the declared lead fields."""

from typing import Any

from django import forms

from onboarding import validators
from onboarding.flow.forms.days import BirthDay, Day
from onboarding.flow.forms.fields import Checked, PersonalNumberField, Share
from onboarding.lead_fields import LeadField, ValueType


def form_field(declared: LeadField) -> forms.Field:
    """Return the form field for a declared value."""
    words: dict[str, Any] = {"label": declared.label, "help_text": declared.hint}
    match declared.kind:
        case ValueType.ENCRYPTED_TEXT:
            return PersonalNumberField(check=declared.check, attrs=dict(declared.attrs), **words)
        case ValueType.DATE if declared.name == "birth_date":
            return BirthDay(required=declared.is_required, **words)
        case ValueType.DATE:
            return Day(
                check=declared.check or validators.iso_date,
                required=declared.is_required,
                **words,
            )
        case ValueType.PERCENT:
            return Share(**words)
    return Checked(
        check=declared.check,
        max_length=declared.max_length,
        required=declared.is_required,
        widget=forms.TextInput(dict(declared.attrs)),
        **words,
    )

"""The form for the person who controls the business."""

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from onboarding.flow.forms.fields import OneOf
from onboarding.flow.members import name_of
from onboarding.models import Lead, Owner
from onboarding.queries.leads import LeadFile

APPLICANT = "applicant"
NOBODY = _("Choose the person who controls the business.")


class ControlForm(forms.Form):
    """The choice of the control person among the applicant and the owners."""

    use_required_attribute = False
    names_fields = True
    person = forms.ChoiceField(
        label=_("Who controls the business?"),
        widget=OneOf,
        error_messages={"required": NOBODY, "invalid_choice": NOBODY},
    )

    def __init__(self, file: LeadFile, data: QueryDict | None = None) -> None:
        super().__init__(data, label_suffix="", initial={"person": _key(file.control_person)})
        choices = [(_key(person), name_of(person)) for person in file.people]
        self.fields["person"].choices = choices  # type: ignore[attr-defined]  # a ChoiceField

    @property
    def owner_id(self) -> str | None:
        """Return the id of the chosen owner; None for the applicant."""
        chosen: str = self.cleaned_data["person"]
        return None if chosen == APPLICANT else chosen


def _key(person: Lead | Owner) -> str:
    return str(person.ubo_id or APPLICANT)

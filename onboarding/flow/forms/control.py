"""The form for the person who controls the business, and for owners who may be missing."""

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from onboarding.flow.forms.fields import OneOf
from onboarding.flow.members import name_of
from onboarding.models import Lead, Owner
from onboarding.queries.leads import LeadFile
from onboarding.queries.requirements import SOLE_PROPRIETORS
from onboarding.services.leads import marks
from onboarding.services.leads.confirmed_answers import (
    OTHERS,
    held_by_people,
    shares_of,
    total_of,
)
from onboarding.validators import WHOLE

APPLICANT = "applicant"
LEAST = 25  # percent; who holds as much must be known. Source: 31 CFR 1010.230(d)(1)
NO, YES = "NO", "YES"
NOBODY = _("Choose the person who controls the business.")
UNSAID = _("Tell us whether anyone else owns 25 percent or more.")
ADD_THEM = _("Add everyone who owns 25 percent or more, or who controls the business, to the list.")


class ControlForm(forms.Form):
    """The choice of the control person among the applicant and the owners.

    While the shares leave room for a further owner of 25 percent, the form asks if there is one.
    """

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
        if may_lack_owners(file):
            self.fields[OTHERS] = forms.ChoiceField(
                label=_("Does anyone else own 25 percent or more of the business, or control it?"),
                choices=[(NO, _("No")), (YES, _("Yes"))],
                widget=OneOf,
                initial=NO if is_complete(file) else None,
                error_messages={"required": UNSAID, "invalid_choice": UNSAID},
            )

    @property
    def owner_id(self) -> str | None:
        """Return the id of the chosen owner; None for the applicant."""
        chosen: str = self.cleaned_data["person"]
        return None if chosen == APPLICANT else chosen

    def clean_others(self) -> str:
        """Refuse the answer that somebody else owns 25 percent or has control.

        Such a person must be added to the list first.
        """
        if self.cleaned_data[OTHERS] == YES:
            raise forms.ValidationError(ADD_THEM, code="required")
        return NO


def may_lack_owners(file: LeadFile) -> bool:
    """Return whether the shares leave room for another owner of 25 percent or more."""
    if file.lead.business_type in SOLE_PROPRIETORS:
        return False
    is_open = WHOLE - held_by_people(file) >= LEAST  # else nobody has to read the trusts
    return is_open and WHOLE - total_of(file) >= LEAST


def is_complete(file: LeadFile) -> bool:
    """Return whether no owner of 25 percent or more is missing, as far as is known.

    Either the shares leave no room for one, or the applicant said of these shares that nobody
    else owns so much.
    """
    return not may_lack_owners(file) or marks.is_confirmed(file.lead, OTHERS, shares_of(file))


def _key(person: Lead | Owner) -> str:
    return str(person.ubo_id or APPLICANT)

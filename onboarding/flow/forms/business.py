"""The form about the business."""

from collections.abc import Iterator
from typing import Any

from django import forms
from django.forms.boundfield import BoundField, BoundWidget
from django.utils.translation import gettext_lazy as _

from banking.choices import BusinessType
from onboarding.business_kinds import KINDS, Kind
from onboarding.flow.forms import addresses, doubts, wanted
from onboarding.flow.forms.addresses import AUTOCOMPLETE, PARTS, AddressForm
from onboarding.flow.forms.fields import Checked, OneOf
from onboarding.flow.forms.industry import IndustryForm
from onboarding.lead_fields import BUSINESS, LABELS
from onboarding.models import Lead

FORMATION = ("incorporation_state", "incorporation_date")  # not of sole proprietors
UNANSWERED = _("Answer this question.")
SAME, OTHER = "SAME", "OTHER"  # choices of the mailing address


class BusinessForm(IndustryForm, AddressForm):
    """The form about the business: type, addresses and further questions."""

    person: Lead
    prefixes = ("business_address_",)
    needs_street = doubts.NEEDS_STREET_OF_BUSINESS
    wanted = wanted.BUSINESS
    optional_prefixes = ("mailing_address_",)
    field_order = (
        *(declared.name for declared in BUSINESS),
        *(f"business_address_{part}" for part in PARTS),
        "mailing",
    )
    aside = IndustryForm.aside | {"mailing"}
    conditional = frozenset(
        {"incorporation_state", "mailing_address_line1", "mailing_address_city"}
    )
    autocomplete = {
        f"business_address_{part}": f"section-business {name}"
        for part, name in AUTOCOMPLETE.items()
    }
    lead_fields = BUSINESS

    business_type = forms.ChoiceField(
        label=LABELS["business_type"],
        choices=[(kind.value, words.name) for kind, words in KINDS.items()],
        widget=OneOf,
    )
    incorporation_state = addresses.state(LABELS["incorporation_state"])
    mailing = forms.ChoiceField(
        label=_("Where do you receive mail?"),
        choices=[(SAME, _("At the business address")), (OTHER, _("At another address"))],
        widget=OneOf,
    )

    @property
    def kinds(self) -> Iterator[tuple[BoundWidget, Kind]]:
        """Return a radio button for each type of business."""
        return zip(self["business_type"], KINDS.values(), strict=True)

    @property
    def facts(self) -> list[BoundField]:
        """Return the fields of `BUSINESS`: no address, mailing choice or due-diligence question."""
        return [self[declared.name] for declared in self.lead_fields]

    @property
    def questions(self) -> list[BoundField]:
        """Return the fields of further questions about this business."""
        return [self[name] for name in self.fields if name.startswith("edd_answers_")]

    def add_fields(self) -> None:
        super().add_fields()
        self.fields["mailing"].initial = OTHER if self.person.mailing_address else SAME
        for position, asked in enumerate(self.person.edd_answers):
            if asked.get("question"):
                self.fields[f"edd_answers_{position}"] = Checked(
                    label=asked["question"],
                    check=without_returns,
                    error_messages={"required": UNANSWERED},
                    help_text=_("At most 255 characters."),
                    widget=forms.Textarea({"rows": 3}),
                )

    def clean(self) -> dict[str, Any]:
        super().clean()
        if self.cleaned_data.get("mailing") == OTHER:
            self.require("mailing_address_line1", "mailing_address_city")
            self.clean_address("mailing_address_")
        else:
            names = [f"mailing_address_{part}" for part in PARTS]
            self._leave_out(*names)
            if "mailing" not in self.errors:
                self.cleaned_data |= dict.fromkeys(names, "")
        self._clean_registration()
        name = self.cleaned_data.get("business_name")
        if name and not doubts.is_latin_business(name):
            self.add_error("business_name", doubts.NOT_LATIN_BUSINESS)
        return self.cleaned_data

    def _clean_registration(self) -> None:
        """Require the EIN and state of registered businesses; a DBA may have an EIN."""
        kind = self.cleaned_data.get("business_type")
        if kind == BusinessType.SSN:
            self._leave_out("ein", *FORMATION)
        elif kind == BusinessType.DBA:
            self._leave_out(*FORMATION)
        elif kind:
            self.require("incorporation_state")
            if not self.has_number("ein"):
                self.require("ein")

    def _leave_out(self, *names: str) -> None:
        """Ignore fields that do not apply."""
        for name in names:
            self.cleaned_data.pop(name, None)
            self.errors.pop(name, None)


def without_returns(text: str) -> str:
    """Return a text with the line ends that it had before the browser sent it."""
    return text.replace("\r\n", "\n")

"""The choice of the mailing address, beside the address of the business."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from onboarding.flow.forms.addresses import PARTS, AddressForm
from onboarding.flow.forms.fields import OneOf
from onboarding.models import Lead

SAME, OTHER = "SAME", "OTHER"  # choices of the mailing address
NAMES = [f"mailing_address_{part}" for part in PARTS]


class MailingForm(AddressForm):
    """A form that asks for a mailing address if mail does not go to the business address."""

    person: Lead
    optional_prefixes = ("mailing_address_",)
    aside = AddressForm.aside | {"mailing"}
    conditional = frozenset({"mailing_address_line1", "mailing_address_city"})

    mailing = forms.ChoiceField(
        label=_("Where do you receive mail?"),
        choices=[(SAME, _("At the business address")), (OTHER, _("At another address"))],
        widget=OneOf,
    )

    @property
    def has_mailing_address(self) -> bool:
        """Return whether another mailing address was chosen, whose fields the page then shows."""
        return bool(self["mailing"].value() == OTHER)

    def add_fields(self) -> None:
        super().add_fields()
        self.fields["mailing"].initial = OTHER if self.person.mailing_address else SAME

    def clean(self) -> dict[str, Any]:
        super().clean()
        if self.cleaned_data.get("mailing") == OTHER:
            self.require("mailing_address_line1", "mailing_address_city")
            self.clean_address("mailing_address_")
            return self.cleaned_data
        self.leave_out(*NAMES)
        if "mailing" not in self.errors:
            self.cleaned_data |= dict.fromkeys(NAMES, "")
        return self.cleaned_data

"""Forms about people: the applicant and the other owners."""

from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from banking.choices import BusinessType
from onboarding import validators
from onboarding.choices import InvitationStatus, OwnerRole
from onboarding.flow.forms import addresses, doubts, wanted
from onboarding.flow.forms.addresses import AUTOCOMPLETE, PARTS, AddressForm
from onboarding.flow.forms.base import FlowForm
from onboarding.flow.forms.fields import (
    Checked,
    phone_number,
)
from onboarding.flow.forms.holding import OF_PERSON, HoldingForm
from onboarding.lead_fields import LABELS, PERSON
from onboarding.models import Lead, Owner
from onboarding.phone_numbers import in_groups
from onboarding.services.leads.drafts import CONTACT
from onboarding.services.leads.owners import STATED

DOCUMENTS = ("passport_number", "id_gov_number")
NUMBERS = ("ssn", *DOCUMENTS)
OF_DOCUMENT = {"id_country": "", "id_expiration_date": None}  # and what stands for no document
NOT_IDENTIFIED = _(
    "Enter a Social Security number or an ITIN. If there is none, enter a passport number "
    "or a national ID number."
)
EXPIRED = _("This document has expired. Enter one that is still valid, or remove its number.")
ROLES = [
    ("", _("No sign-in of their own")),
    (OwnerRole.PARTNER.value, _("Limited: sees the profile and the statements")),
    (OwnerRole.PARTNER_FULL_ACCESS.value, _("Full: sees everything that you see")),
]


class PersonForm(AddressForm):
    """The form about a person; at least one identification number is required."""

    lead_fields = PERSON
    is_about_reader = False
    removable = frozenset(DOCUMENTS)
    phone_number = Checked(
        label=LABELS["phone_number"], check=phone_number, widget=forms.TextInput({"type": "tel"})
    )
    id_country = addresses.Country(label=LABELS["id_country"], required=False)

    def add_fields(self) -> None:
        super().add_fields()
        if "birth_date" in self.fields:
            self.fields["birth_date"].is_readers = self.is_about_reader  # type: ignore[attr-defined]  # a BirthDay

    def stored(self, name: str) -> Any:
        value = super().stored(name)
        return in_groups(value) if name == "phone_number" else value

    @property
    def is_identified_otherwise(self) -> bool:
        """Return whether identification other than the SSN is stored, or its fields are wrong."""
        others = ("passport_number", "id_gov_number", "id_country", "id_expiration_date")
        is_wrong = any(self[name].errors for name in others)
        return is_wrong or any(self.has_number(name) for name in others)

    def is_needed(self, name: str) -> bool:
        return name in {"id_country", "id_expiration_date"}

    def clean(self) -> dict[str, Any]:
        super().clean()
        is_tried = any(name in self.errors for name in NUMBERS)
        if not is_tried and not any(map(self._is_given, NUMBERS)):
            self.add_error("ssn", forms.ValidationError(NOT_IDENTIFIED, code="required"))
        self._clean_identification()
        refuse_other_letters(self)
        return self.cleaned_data

    def _clean_identification(self) -> None:
        """Require the country of a document, and of a passport a date; neither may have expired.

        With the number of the only document its country and date are removed, too.
        Source: 31 CFR 1020.220(a)(2)(i)(A)(4).
        """
        if self.removed and not any(map(self._is_given, DOCUMENTS)):
            for name, nothing in OF_DOCUMENT.items():
                self.errors.pop(name, None)
                self.cleaned_data[name] = nothing
        if self._is_given("passport_number"):
            self.require("id_country", "id_expiration_date")
        elif self._is_given("id_gov_number"):
            self.require("id_country")
        expires = self.cleaned_data.get("id_expiration_date")
        if expires and expires < timezone.localdate():
            self.add_error("id_expiration_date", EXPIRED)

    def _is_given(self, name: str) -> bool:
        return bool(self.cleaned_data.get(name)) or self.has_number(name)


def refuse_other_letters(form: FlowForm) -> None:
    """Add an error to the names that are not in Latin letters."""
    for name in ("first_name", "last_name"):
        if (given := form.cleaned_data.get(name)) and not doubts.is_latin(given):
            form.add_error(name, doubts.NOT_LATIN)


class ApplicantForm(PersonForm):
    """The form about the applicant; the email cannot be changed.

    The share and the title are asked with the business: a sole proprietor has neither.
    """

    person: Lead
    is_about_reader = True
    lead_fields = OF_PERSON
    prefixes = ("",)
    needs_street = doubts.NEEDS_STREET
    wanted = wanted.APPLICANT
    field_order = ("first_name", "last_name", "phone_number", "birth_date", *PARTS)
    autocomplete = {
        "first_name": "given-name",
        "last_name": "family-name",
        "phone_number": "tel",
        "birth_date": "bday",
        **AUTOCOMPLETE,
    }

    @property
    def values(self) -> dict[str, Any]:
        """Return the valid values; a sole proprietor without a DBA names the business, too."""
        values = super().values
        if self.person.business_type == BusinessType.SSN:
            names = [values.get(name, "") for name in ("first_name", "last_name")]
            values |= {"business_name": " ".join(names)} if all(names) else {}
        return values


class ListedOwnerForm(HoldingForm):
    """A form with what the applicant says about an owner besides the applicant."""

    person: Owner
    wanted = wanted.OWNER
    email = Checked(
        label=_("Email address"),
        check=validators.email,
        widget=forms.EmailInput({"autocomplete": "off"}),
    )
    role = forms.ChoiceField(
        label=_("Access to the account"),
        choices=ROLES,
        required=False,
        help_text=_("What this person can see once the account is open."),
    )

    def clean_email(self) -> str:
        """Refuse the applicant's email, unless this owner has it already."""
        email = str(self.cleaned_data["email"])
        if email == self.person.lead.email != self.person.email:
            raise forms.ValidationError(
                _("This is your own email address. You are already on the list.")
            )
        return email


class OwnerForm(PersonForm, ListedOwnerForm):
    """The form about an owner besides the applicant."""

    prefixes = ("address_",)
    needs_street = doubts.NEEDS_STREET_OF_OWNER
    field_order = (
        *("first_name", "last_name", "email", "phone_number", "birth_date"),
        *("ownership_percent", "title", "role"),
        *(f"address_{part}" for part in PARTS),
    )


class InvitationForm(ListedOwnerForm):
    """The form about an owner who is asked to fill in their own part.

    Once the owner has completed the part, the form has no name and no email.
    """

    lead_fields = [one for one in PERSON if one.name in STATED | CONTACT]
    field_order = ("first_name", "last_name", "email", "ownership_percent", "title", "role")

    def add_fields(self) -> None:
        if self.person.invitation_status is InvitationStatus.COMPLETED:
            for name in CONTACT:
                del self.fields[name]


class PartForm(PersonForm):
    """The form in which an owner fills in their own part."""

    is_about_reader = True
    lead_fields = [one for one in PERSON if one.name not in STATED]
    prefixes = ("address_",)
    needs_street = doubts.NEEDS_STREET_OF_OWNER
    wanted = wanted.APPLICANT
    field_order = (
        *("first_name", "last_name", "phone_number", "birth_date"),
        *(f"address_{part}" for part in PARTS),
    )
    autocomplete = {
        "first_name": "given-name",
        "last_name": "family-name",
        "phone_number": "tel",
        "birth_date": "bday",
        **{f"address_{part}": value for part, value in AUTOCOMPLETE.items()},
    }

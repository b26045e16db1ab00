"""Forms by which the owners of a customer ask for changes of its data.

They show no phone number, date of birth, home address or personal number of anybody: the reader may
be another owner. The fields for these are blank; a field that is left blank changes nothing.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from banking.choices import BusinessType
from onboarding.flow.forms import doubts, wanted
from onboarding.flow.forms.addresses import HOME, PARTS, AddressForm
from onboarding.flow.forms.base import FlowForm
from onboarding.flow.forms.fields import Checked, Share, phone_number
from onboarding.flow.forms.mailing import OTHER, SAME, MailingForm
from onboarding.flow.forms.people import ROLES, OwnerForm, refuse_other_letters
from onboarding.lead_fields import LABELS, PERSON
from onboarding.models import Lead, Owner
from onboarding.models.people import Person
from onboarding.queries.leads import list_owners

LONGEST_REASON = 500  # characters, as in the API
SHOWN = ("first_name", "last_name", "ownership_percent", "title")  # owners may see them
ABOUT_PERSON = [one for one in PERSON if one.name in {*SHOWN, "phone_number"}]
KEEP = _("Leave this blank if it has not changed.")
IS_LISTED = _("This person is already on the list of owners.")
EMPTY: tuple[Any, ...] = (None, "")


class ReasonForm(FlowForm):
    """A form with the reason for a change, which the bank's staff read."""

    aside = FlowForm.aside | {"reason"}
    reason = Checked(
        label=_("Reason for the change"),
        max_length=LONGEST_REASON,
        required=False,
        widget=forms.Textarea({"rows": 3}),
    )

    @property
    def reason_text(self) -> str:
        """Return the reason of a valid form; empty if none was given."""
        return str(self.cleaned_data["reason"])

    @property
    def details(self) -> dict[str, Any]:
        """Return the changed values of a valid form, as the service takes them."""
        raise NotImplementedError


class BusinessAddressForm(ReasonForm, MailingForm):
    """The form about the addresses of the business, which all owners may see."""

    prefixes = ("business_address_",)
    needs_street = doubts.NEEDS_STREET_OF_BUSINESS
    wanted = wanted.BUSINESS
    aside = ReasonForm.aside | MailingForm.aside

    def add_fields(self) -> None:
        super().add_fields()
        lead = self.person
        is_same = lead.mailing_address in ({}, lead.business_address)
        self.fields["mailing"].initial = SAME if is_same else OTHER

    @property
    def details(self) -> dict[str, Any]:
        """Return the addresses that changed, each with all of its parts.

        If mail goes to the business address, a stored mailing address is set to that address.
        """
        lead, business = self.person, self._address("business_address_")
        changed = {} if _is_stored(business, lead.business_address) else business
        found = {"business_address": changed} if changed else {}
        is_other = self.cleaned_data["mailing"] == OTHER
        mailing = self._address("mailing_address_") if is_other else business
        if is_other or lead.mailing_address:
            is_same = _is_stored(mailing, lead.mailing_address)
            found |= {} if is_same else {"mailing_address": mailing}
        return found

    def _address(self, prefix: str) -> dict[str, Any]:
        return whole_address(self.cleaned_data, prefix)


class DetailsForm(ReasonForm, AddressForm):
    """The form about a person who owns a part of the business."""

    lead_fields = ABOUT_PERSON
    needs_street = doubts.NEEDS_STREET_OF_OWNER
    wanted = wanted.OWNER
    home: ClassVar[str]  # prefix of the home address
    phone_number = Checked(
        label=LABELS["phone_number"],
        check=phone_number,
        required=False,
        help_text=KEEP,
        widget=forms.TextInput({"type": "tel", "autocomplete": "off"}),
    )

    def add_fields(self) -> None:
        super().add_fields()
        self.fields["ownership_percent"].required = False
        self.fields["title"].help_text = ""

    def stored(self, name: str) -> Any:
        if name.removeprefix(self.home) in PARTS:
            return HOME if name.endswith("country") else ""
        return "" if name == "phone_number" else super().stored(name)

    def clean(self) -> dict[str, Any]:
        super().clean()
        refuse_other_letters(self)
        names = [f"{self.home}{part}" for part in PARTS]
        if self._has_home(names):
            self.require(f"{self.home}line1", f"{self.home}city")
            self.clean_address(self.home)
            self._clean_street(self.home)
        else:
            self.leave_out(*names)
        return self.cleaned_data

    @property
    def changed(self) -> dict[str, Any]:
        """Return the values of the person itself that changed, without the address.

        None stands for a title or role that was cleared; other blank fields are left out.
        """
        given = {name: self.cleaned_data.get(name) for name in self.fields if name in self.kept}
        found = {
            name: None if value in EMPTY else value
            for name, value in given.items()
            if not _is_equal(value, self.stored(name))
        }
        return {name: one for name, one in found.items() if one is not None or name in CLEARABLE}

    @property
    def kept(self) -> set[str]:
        """Return the names of the person's values that the form can change, without the address."""
        return {*SHOWN, "phone_number", "role"}

    @property
    def home_address(self) -> dict[str, Any]:
        """Return the home address, whole; empty if none was entered."""
        is_given = f"{self.home}line1" in self.cleaned_data
        return whole_address(self.cleaned_data, self.home) if is_given else {}

    def _has_home(self, names: list[str]) -> bool:
        """Return whether a new home address was entered; a foreign country alone is enough."""
        country, *others = names
        is_abroad = self.cleaned_data.get(country, HOME) != HOME
        return is_abroad or any(self.data.get(name, "").strip() for name in others)

    def _region(self, prefix: str) -> str:
        return ""  # that of the old address


class ApplicantDetailsForm(DetailsForm):
    """The form about the owner who opened the account."""

    person: Lead
    home = ""
    optional_prefixes = ("",)

    @property
    def details(self) -> dict[str, Any]:
        """Return the changed values; a sole proprietor without a DBA renames the business, too."""
        found = {**self.changed, **self.home_address}
        is_renamed = {"first_name", "last_name"} & found.keys()
        if is_renamed and self.person.business_type == BusinessType.SSN:
            names = (self.cleaned_data["first_name"], self.cleaned_data["last_name"])
            found["business_name"] = " ".join(names)
        return found


class OwnerDetailsForm(DetailsForm):
    """The form about another owner than the one who opened the account."""

    person: Owner
    home = "address_"
    optional_prefixes = ("address_",)
    role = forms.ChoiceField(label=_("Access to the account"), choices=ROLES, required=False)

    @property
    def details(self) -> dict[str, Any]:
        """Return the changed values under the owner's email."""
        address = {"address": self.home_address} if self.home_address else {}
        found = {**self.changed, **address}
        return {"owners": [{"email": self.person.email, **found}]} if found else {}


class NewOwnerForm(ReasonForm, OwnerForm):
    """The form about a new owner, and about the share that is left to the owner who asks.

    `asker` is the stored person who asks; None if the person is not on the list.
    """

    aside = ReasonForm.aside | {"own_share"}

    def __init__(
        self, person: Person, data: QueryDict | None = None, *, asker: Lead | Owner | None = None
    ) -> None:
        self.asker = asker
        super().__init__(person, data)

    def add_fields(self) -> None:
        super().add_fields()
        self.fields["role"].help_text = _("What this person can see.")
        if self.asker is not None:
            self.fields["own_share"] = Share(
                label=_("Your own share after this change, in percent"),
                help_text=_("The shares of all owners must not add up to more than 100."),
                initial=self.asker.ownership_percent,
            )

    def clean_email(self) -> str:
        """Refuse the email of a listed owner: it would change that owner."""
        email, lead = str(self.cleaned_data["email"]), self.person.lead
        if email in {lead.email, *(owner.email for owner in list_owners(lead))}:
            raise forms.ValidationError(IS_LISTED)
        return email

    @property
    def details(self) -> dict[str, Any]:
        """Return the new owner's values, and the share of the owner who asks if it changed."""
        prefix = self.prefixes[0]
        names = self.fields.keys() - self.aside - {f"{prefix}{part}" for part in PARTS}
        given = {name: self.cleaned_data.get(name) for name in names}
        new = {name: value for name, value in given.items() if value not in EMPTY}
        new["address"] = whole_address(self.cleaned_data, prefix)
        own = self.cleaned_data.get("own_share")
        if self.asker is None or _is_equal(own, self.asker.ownership_percent):
            return {"owners": [new]}
        if isinstance(self.asker, Lead):
            return {"ownership_percent": own, "owners": [new]}
        return {"owners": [{"email": self.asker.email, "ownership_percent": own}, new]}


CLEARABLE = {"title", "role"}


def whole_address(values: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """Return all parts of an address; a blank part is None, which clears the stored part."""
    return {part: values.get(f"{prefix}{part}") or None for part in PARTS}


def _is_stored(address: Mapping[str, Any], stored: Mapping[str, Any]) -> bool:
    """Return whether an address is the stored one, which may lack the country of the US."""
    if not stored:
        return False
    known = {part: stored.get(part) or None for part in PARTS}
    return dict(address) == {**known, "country": known["country"] or HOME}


def _is_equal(value: Any, stored: Any) -> bool:
    return bool(value == stored) or (value in EMPTY and stored in EMPTY)

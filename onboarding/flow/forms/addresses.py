"""Addresses: form fields whose requirements depend on the country."""

from typing import Any, ClassVar, Final

from django import forms
from django.forms.boundfield import BoundField
from django.utils.translation import gettext_lazy as _

from banking.us_states import US_STATES, state_name
from onboarding import validators
from onboarding.country_names import COUNTRY_NAMES
from onboarding.flow.forms import doubts
from onboarding.flow.forms.base import FlowForm
from onboarding.flow.forms.fields import Checked, explain
from onboarding.geography import COUNTRIES
from onboarding.lazy_texts import StrOrPromise
from onboarding.services.leads import marks
from onboarding.services.leads.marks import flat

HOME: Final = "US"  # addresses in the US need a state and a ZIP code
PARTS = ("country", "line1", "line2", "city", "state", "postal_code")  # in the order of the pages
OF_COUNTRY = ("state", "postal_code", "country")  # valid or invalid together
AUTOCOMPLETE = {
    "line1": "address-line1",
    "line2": "address-line2",
    "city": "address-level2",
    "state": "address-level1",
    "postal_code": "postal-code",
    "country": "country-name",
}
STATE = _("State")


class CountryBound(BoundField):
    """A field of a country on a page."""

    @property
    def is_abroad(self) -> bool:
        """Return whether the field shows another country than the US."""
        return COUNTRY_NAMES.find(str(self.value() or "")) not in {"", HOME}


class Place(Checked):
    """A text field for the name of a place. flow.js suggests names in the reader's language.

    `names` is the id of the list of names, which flow.js adds: it would be a third of the page.
    """

    def __init__(self, *, names: str, **options: Any) -> None:
        super().__init__(widget=forms.TextInput({"list": names}), **options)


class Country(Place):
    """A country by its name, in any language of the pages; the value is the code."""

    bound_field_class = CountryBound

    def __init__(self, **options: Any) -> None:
        super().__init__(check=_country, names="countries", **options)

    def prepare_value(self, value: Any) -> Any:
        """Return the name in the reader's language, also of a name that was typed in another."""
        code = COUNTRY_NAMES.find(str(value or ""))
        return COUNTRY_NAMES.name(code) if code in COUNTRIES else value


def _country(text: str) -> str:
    return validators.country(COUNTRY_NAMES.find(text))


class State(Place):
    """A US state, typed by name in any language of the pages or by code; the value is the code."""

    def __init__(self, **options: Any) -> None:
        super().__init__(check=_state, names="states", **options)

    def prepare_value(self, value: Any) -> Any:
        """Return the name in the reader's language, also of a name that was typed in another."""
        return state_name(US_STATES.find(str(value or ""))) or value


def _state(text: str) -> str:
    return validators.state(US_STATES.find(text) or text)


def state(label: StrOrPromise = STATE) -> Checked:
    """Return an optional field for a US state."""
    return State(label=label, required=False)


def address_fields(prefix: str, *, is_required: bool) -> dict[str, forms.Field]:
    """Return the fields of an address by name, each after the prefix, in the order of the pages.

    `is_required` is about the street and the city. The country is always required.
    """
    fields = {
        "country": Country(label=_("Country")),
        "line1": Checked(label=_("Street address"), required=is_required),
        "line2": Checked(label=_("Apartment or suite"), required=False),
        "city": Checked(label=_("City"), max_length=30, required=is_required),
        "state": state(),
        "postal_code": Checked(label=_("ZIP or postal code"), max_length=16, required=False),
    }
    return {f"{prefix}{part}": field for part, field in fields.items()}


class AddressForm(FlowForm):
    """A form with addresses; the names of an address's fields begin with its prefix.

    Addresses in `prefixes` must be given; the subclass checks those in `optional_prefixes`.
    """

    prefixes: ClassVar[tuple[str, ...]] = ()
    needs_street: ClassVar[StrOrPromise] = ""  # why `prefixes` take no P.O. box
    optional_prefixes: ClassVar[tuple[str, ...]] = ()

    def add_fields(self) -> None:
        for prefix in (*self.prefixes, *self.optional_prefixes):
            self.fields |= address_fields(prefix, is_required=prefix in self.prefixes)

    def stored(self, name: str) -> Any:
        value = super().stored(name)
        return value or HOME if name.endswith("country") and name != "id_country" else value

    def is_conditional(self, name: str) -> bool:
        return name.endswith(("state", "postal_code")) or super().is_conditional(name)

    def clean(self) -> dict[str, Any]:
        for prefix in self.prefixes:
            self.clean_address(prefix)
            self._clean_street(prefix)
        return self.cleaned_data

    def clean_address(self, prefix: str) -> None:
        """Check state and postal code against the country; keep a stored region abroad.

        An error in one of the three keeps all of them from being saved.
        """
        parts = {part: self.cleaned_data.get(prefix + part, "") for part in PARTS}
        if parts["country"] == HOME:
            self.require(f"{prefix}state", f"{prefix}postal_code")
        else:
            self.errors.pop(f"{prefix}state", None)  # the page shows no field of a state abroad
            parts["state"] = self.cleaned_data[prefix + "state"] = self._region(prefix)
        for fault in validators.address_faults(parts, path=()):
            name = "state" if fault.path == ("state",) else "postal_code"
            self.add_error(prefix + name, explain(fault.code))
        if doubts.is_elsewhere(parts):
            question = doubts.IS_ELSEWHERE % {"state": state_name(parts["state"])}
            value = f"{parts['state']} {parts['postal_code']}"
            self.ask_about(f"{prefix}postal_code", question, value)
        if any(prefix + part in self.errors for part in OF_COUNTRY):
            for part in OF_COUNTRY:
                self.cleaned_data.pop(prefix + part, None)
                self.held.add(prefix + part)

    def _clean_street(self, prefix: str) -> None:
        """Refuse a P.O. box, and ask about a mailbox beside a street."""
        parts = {part: self.cleaned_data.get(prefix + part, "") for part in PARTS}
        if doubts.is_po_box(parts):
            self.add_error(f"{prefix}line1", self.needs_street)
        elif doubts.may_be_mailbox(parts):
            value = f"{parts['line1']} {parts['line2']}"
            self.ask_about(f"{prefix}line1", doubts.IS_MAILBOX, value)

    def _region(self, prefix: str) -> Any:
        """Return the stored state of an address abroad; empty if the country was changed.

        The page shows no field of a state abroad.
        """
        land = marks.value_of(self.person, flat(prefix + "country"))
        is_same = self.cleaned_data.get(prefix + "country") == land
        return marks.value_of(self.person, flat(prefix + "state")) if is_same else ""
